package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class GemmTest {
  @Test
  @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
  void usesTheLibraryWhereThereIsOne() {
    assumeTrue(System.getProperty("heddle.gemm", "auto").equals("auto"));
    assertThat(Gemm.description()).isEqualTo("oneDNN");
  }

  @Test
  void doesWithoutTheLibraryWhenTold() {
    assertThat(Gemm.choose("java").description()).startsWith("Java");
  }

  @Test
  void refusesUnknownWishes() {
    assertThatThrownBy(() -> Gemm.choose("blas")).hasMessageContaining("'blas'");
  }
}
