package dev.heddle.kernel;

/**
 * Which implementation of the kernels this JVM uses, chosen once.
 *
 * <p>{@code -Dheddle.simd=auto} (the default) takes SIMD where the Vector API is there, {@code on}
 * insists on it, {@code off} takes the scalar reference.
 */
public final class Kernels {
  private static final boolean SIMD = chooseSimd();
  private static final GatherKernels GATHER = SIMD ? new SimdGather() : new ScalarGather();
  private static final ColumnKernels COLUMNS = SIMD ? new SimdColumns() : new ScalarColumns();

  private static final MaxKernels MAX = SIMD ? new SimdMax() : new ScalarMax();
  private static final AttentionKernels ATTENTION =
      SIMD ? new SimdAttention() : new ScalarAttention();
  private static final RowKernels ROWS = SIMD ? new SimdRows() : new ScalarRows();
  private static final UpdateKernels UPDATE = SIMD ? new SimdUpdate() : new ScalarUpdate();
  private static final PackKernels PACK = SIMD ? new SimdPack() : new ScalarPack();
  private static final QuantKernels QUANT =
      SIMD && SimdQuant.available() ? new SimdQuant() : new ScalarQuant();

  private Kernels() {}

  /** Whether SIMD kernels are in use. */
  public static boolean simd() {
    return SIMD;
  }

  /** One line for logs: what the kernels run on. */
  public static String description() {
    return SIMD ? "SIMD, " + Simd.FLOATS.vectorBitSize() + " bit" : "scalar";
  }

  static MaxKernels max() {
    return MAX;
  }

  static AttentionKernels attention() {
    return ATTENTION;
  }

  static RowKernels rows() {
    return ROWS;
  }

  static GatherKernels gather() {
    return GATHER;
  }

  static ColumnKernels columns() {
    return COLUMNS;
  }

  static UpdateKernels update() {
    return UPDATE;
  }

  static PackKernels pack() {
    return PACK;
  }

  static QuantKernels quant() {
    return QUANT;
  }

  private static boolean chooseSimd() {
    String wish = System.getProperty("heddle.simd", "auto");
    boolean present = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    return switch (wish) {
      case "off" -> false;
      case "on" -> {
        if (!present) {
          throw new IllegalStateException(
              "heddle.simd=on, but the JVM lacks --add-modules jdk.incubator.vector");
        }
        yield true;
      }
      case "auto" -> {
        if (!present) {
          System.getLogger("dev.heddle.kernel")
              .log(
                  System.Logger.Level.WARNING,
                  "Running without SIMD: start the JVM with --add-modules jdk.incubator.vector");
        }
        yield present;
      }
      default ->
          throw new IllegalStateException("heddle.simd is auto, on or off, not '" + wish + "'");
    };
  }
}
