package dev.heddle.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The rules that keep the modules what ARCHITECTURE.md says they are. */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.heddle");

  @Test
  void modulesUseOnlyThoseAboveThem() {
    ArchRule rule =
        layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("kernel")
            .definedBy("dev.heddle.kernel..")
            .layer("graph")
            .definedBy("dev.heddle.graph..")
            .layer("tables")
            .definedBy("dev.heddle.tables..")
            .layer("nn")
            .definedBy("dev.heddle.nn..")
            .layer("comm")
            .definedBy("dev.heddle.comm..")
            .layer("train")
            .definedBy("dev.heddle.train..")
            .layer("cli")
            .definedBy("dev.heddle.cli..")
            .whereLayer("cli")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("train")
            .mayOnlyBeAccessedByLayers("cli")
            .whereLayer("comm")
            .mayOnlyBeAccessedByLayers("cli", "train")
            .whereLayer("nn")
            .mayOnlyBeAccessedByLayers("cli", "train")
            .whereLayer("tables")
            .mayOnlyBeAccessedByLayers("cli")
            .whereLayer("graph")
            .mayOnlyBeAccessedByLayers("cli", "train", "nn", "tables");
    rule.check(CLASSES);
  }

  @Test
  void onlyTheKernelTouchesVectorsAndNativeCode() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.heddle.kernel..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("jdk.incubator.vector..")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Linker")
        .because(
            "SIMD and native code have a scalar reference and a test only in the kernel module")
        .check(CLASSES);
  }

  /** Whoever trains and never sees a table does not need its 79 MB. */
  @Test
  void onlyTablesKnowTheirDatabase() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.heddle.tables..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.duckdb..", "java.sql..")
        .because("the jar of DuckDB is opened when a table is first needed")
        .check(CLASSES);
  }

  /**
   * A package can be understood with those it uses, and moved without them. Two front doors are
   * excepted: {@code Graph.open} names the store that it opens, and layers of {@code nn} record
   * themselves on its program, which reads their parameters.
   */
  @Test
  void packagesHaveNoCycles() {
    slices()
        .matching("dev.heddle.(**)")
        .should()
        .beFreeOfCycles()
        .check(CLASSES.that(resideOutsideOfPackages("dev.heddle.graph..", "dev.heddle.nn..")));
  }

  @Test
  void nothingIsDrawnFromAStream() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.Random")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.SplittableRandom")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.concurrent.ThreadLocalRandom")
        .because("draws are keyed, never streamed: see dev.heddle.kernel.Draws")
        .check(CLASSES);
  }

  /**
   * What a run takes counts in its budget. Roots of their own are for callers that have none, and
   * for files that are only mapped.
   */
  @Test
  void memoryIsTakenFromABudget() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.heddle.kernel..", "dev.heddle.comm..")
        .and()
        .doNotHaveSimpleName("ReadOptions")
        .and()
        .doNotHaveSimpleName("WordNet")
        .and()
        .doNotHaveSimpleName("CommunityGenerator")
        .and()
        .doNotHaveSimpleName("CommunityStore")
        .and()
        .doNotHaveSimpleName("StoredPartitions")
        .and()
        .doNotHaveSimpleName("StoreCheck")
        .and()
        .doNotHaveSimpleName("ContentCheck")
        .should()
        .callConstructor(Memory.class)
        .because("a limit on memory bounds a whole run: take a child of the memory at hand")
        .check(CLASSES);
  }

  /**
   * What reads by an address does so where nothing checks it: that is for kernels alone. A plan
   * counts arcs that nobody reads.
   */
  @Test
  void onlyTheKernelReadsByAddress() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.heddle.kernel..")
        .and()
        .doNotHaveSimpleName("PlannedProgram")
        .should()
        .callMethod(MemorySegment.class, "reinterpret", long.class)
        .orShould()
        .callMethod(MemorySegment.class, "ofAddress", long.class)
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("dev.heddle.kernel.RawMemory")
        .because("a wrong address ends the process, or reads what belongs to something else")
        .check(CLASSES);
  }

  @Test
  void noJavaSerialisation() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.io.ObjectInputStream")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.io.ObjectOutputStream")
        .because("files have documented formats")
        .check(CLASSES);
  }
}
