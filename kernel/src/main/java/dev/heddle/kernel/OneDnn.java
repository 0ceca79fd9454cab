package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * Dense products by {@code dnnl_sgemm} of oneDNN, called through FFM on one thread each.
 *
 * <p>A record, because the compiler trusts its fields to be constant and so inlines the call.
 *
 * <p>Signals are held back meanwhile: a handler that ran on a thread inside the library's AVX-512
 * products left a corrupted heap, whoever sent the signal; inside its AVX2 products it did not.
 */
record OneDnn(MethodHandle sgemm, SignalMask signals) implements GemmKernels {
  private static final byte AS_IS = 'N';
  private static final byte TRANSPOSED = 'T';

  /** Unpacks and loads the library, or says in the exception why it cannot be used. */
  static OneDnn load() throws IOException {
    if (!System.getProperty("os.name", "").equals("Linux")
        || !System.getProperty("os.arch", "").equals("amd64")) {
      throw new IOException("oneDNN is packed for Linux on x86-64 only");
    }
    NativeFiles files =
        NativeFiles.of(NativeFiles.userCache(), "org.bytedeco", "dnnl", "linux-x86_64");
    Path openMp = files.unpack("libgomp.so.1");
    Path oneDnn = files.unpack("libdnnl.so.3");
    useOneThread();
    // In this order: the second finds the first already loaded.
    SymbolLookup.libraryLookup(openMp, Arena.global());
    MemorySegment sgemm =
        SymbolLookup.libraryLookup(oneDnn, Arena.global()).findOrThrow("dnnl_sgemm");
    LibraryPages.giveBack();
    return new OneDnn(
        Linker.nativeLinker()
            .downcallHandle(
                sgemm,
                FunctionDescriptor.of(
                    JAVA_INT,
                    JAVA_BYTE,
                    JAVA_BYTE,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_FLOAT,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_LONG,
                    JAVA_FLOAT,
                    JAVA_LONG,
                    JAVA_LONG)),
        SignalMask.load());
  }

  /**
   * Our own threads split the rows. OpenMP reads its number of threads from the environment while
   * it is loaded; its function for that would only speak for the calling thread.
   */
  private static void useOneThread() {
    Linker linker = Linker.nativeLinker();
    MethodHandle setenv =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("setenv"),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      int _ =
          (int)
              setenv.invokeExact(arena.allocateFrom("OMP_NUM_THREADS"), arena.allocateFrom("1"), 1);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("setenv failed", e);
    }
  }

  @Override
  public void multiply(int rows, Matrix a, int aRow, Matrix b, Matrix c, int cRow, boolean add) {
    gemm(AS_IS, rows, b.cols(), a.cols(), a, aRow, b, 0, add, c, cRow);
  }

  @Override
  public void transposeMultiply(
      int rows, Matrix a, int aRow, Matrix b, int bRow, Matrix c, boolean add) {
    gemm(TRANSPOSED, a.cols(), b.cols(), rows, a, aRow, b, bRow, add, c, 0);
  }

  /** {@code C = op(A) · B}, or added to C; C is m × n, k is the length of the inner products. */
  private void gemm(
      byte opA,
      long m,
      long n,
      long k,
      Matrix a,
      int aRow,
      Matrix b,
      int bRow,
      boolean add,
      Matrix c,
      int cRow) {
    int status;
    long lda = a.stride();
    long ldb = b.stride();
    long ldc = c.stride();
    float beta = add ? 1 : 0;
    signals.hold();
    try {
      status =
          (int)
              sgemm.invokeExact(
                  opA,
                  AS_IS,
                  m,
                  n,
                  k,
                  1f,
                  a.address(aRow),
                  lda,
                  b.address(bRow),
                  ldb,
                  beta,
                  c.address(cRow),
                  ldc);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("dnnl_sgemm failed", e);
    } finally {
      signals.release();
    }
    if (status != 0) {
      throw new IllegalStateException("dnnl_sgemm refused a product: status " + status);
    }
  }

  @Override
  public String description() {
    return "oneDNN";
  }
}
