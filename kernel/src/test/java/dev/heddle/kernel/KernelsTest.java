package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A kernel that falls back to its scalar reference computes the same, many times slower. */
class KernelsTest {
  private static final boolean WANTED = !System.getProperty("heddle.simd", "auto").equals("off");

  /** All that there are, so that one added later is looked at too. */
  private static final List<Method> CHOICES =
      Arrays.stream(Kernels.class.getDeclaredMethods())
          .filter(m -> m.getReturnType().getSimpleName().endsWith("Kernels"))
          .toList();

  @Test
  void everyKernelIsOfTheKindInUse() throws ReflectiveOperationException {
    assertThat(Kernels.simd()).isEqualTo(WANTED);
    assertThat(CHOICES).hasSizeGreaterThanOrEqualTo(8);
    for (Method choice : CHOICES) {
      assertThat(Modifier.isStatic(choice.getModifiers())).as("%s", choice).isTrue();
      // Rounding to few bits has vectors of its own, which not every machine has.
      boolean vectors = choice.getName().equals("quant") ? SimdQuant.available() : true;
      assertThat(choice.invoke(null).getClass().getSimpleName())
          .as("%s", choice)
          .startsWith(WANTED && vectors ? "Simd" : "Scalar");
    }
  }

  @Test
  void soAreProductsWithoutTheLibrary() {
    assertThat(Gemm.choose("java")).isInstanceOf(WANTED ? SimdGemm.class : ScalarGemm.class);
  }
}
