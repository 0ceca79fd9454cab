package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * Makes another descriptor the process's standard error, by {@code dup2}. A script that starts the
 * JVM with standard error on nothing and the real one elsewhere is spared what the JVM prints
 * before {@code main}.
 */
public final class StandardError {
  private static final int STDERR = 2;

  private StandardError() {}

  /** From here on, standard error is what {@code descriptor} is. */
  public static void become(int descriptor) {
    Linker linker = Linker.nativeLinker();
    MethodHandle dup2 =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("dup2"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    try {
      int _ = (int) dup2.invokeExact(descriptor, STDERR);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("dup2 failed", e);
    }
  }
}
