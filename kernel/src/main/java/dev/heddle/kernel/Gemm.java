package dev.heddle.kernel;

/**
 * Which implementation of dense products this JVM uses, chosen once.
 *
 * <p>{@code -Dheddle.gemm=auto} (the default) takes oneDNN where its library loads and Java
 * elsewhere, {@code onednn} insists on the library, {@code java} does without it.
 */
public final class Gemm {
  private static final GemmKernels KERNELS = choose(System.getProperty("heddle.gemm", "auto"));

  private Gemm() {}

  /** One line for logs: what dense products run on. */
  public static String description() {
    return KERNELS.description();
  }

  static GemmKernels kernels() {
    return KERNELS;
  }

  static GemmKernels choose(String wish) {
    return switch (wish) {
      case "java" -> inJava();
      case "onednn" -> {
        try {
          yield OneDnn.load();
        } catch (Exception | LinkageError e) {
          throw new IllegalStateException("heddle.gemm=onednn, but it cannot be loaded", e);
        }
      }
      case "auto" -> {
        try {
          yield OneDnn.load();
        } catch (Exception | LinkageError e) {
          System.getLogger("dev.heddle.kernel")
              .log(System.Logger.Level.WARNING, "Dense products run in Java: " + e.getMessage());
          yield inJava();
        }
      }
      default ->
          throw new IllegalStateException(
              "heddle.gemm is auto, onednn or java, not '" + wish + "'");
    };
  }

  private static GemmKernels inJava() {
    return Kernels.simd() ? new SimdGemm() : new ScalarGemm();
  }
}
