package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeFilesTest {
  private static final String LIBRARY = "libgomp.so.1";

  @TempDir Path cache;

  @Test
  void unpacksOnceAndMendsWhatIsTorn() throws IOException {
    Path file = files().unpack(LIBRARY);
    byte[] whole = Files.readAllBytes(file);
    var written = Files.getLastModifiedTime(file);
    assertThat(files().unpack(LIBRARY)).isEqualTo(file);
    assertThat(Files.getLastModifiedTime(file)).isEqualTo(written);

    Files.write(file, new byte[] {1, 2, 3});
    files().unpack(LIBRARY);
    assertThat(Files.readAllBytes(file)).isEqualTo(whole);
    try (var left = Files.list(file.getParent())) {
      assertThat(left).containsExactly(file);
    }
  }

  @Test
  void manyMayUnpackAtOnce() throws Exception {
    List<Callable<Path>> tasks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      tasks.add(() -> files().unpack(LIBRARY));
    }
    try (var threads = Executors.newFixedThreadPool(8)) {
      for (var result : threads.invokeAll(tasks, 60, TimeUnit.SECONDS)) {
        assertThat(Files.size(result.get())).isGreaterThan(100_000);
      }
    }
  }

  @Test
  void saysWhatIsMissing() {
    assertThatThrownBy(() -> NativeFiles.of(cache, "org.bytedeco", "nothing", "linux-x86_64"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nothing");
    assertThatThrownBy(() -> files().unpack("libnothing.so")).hasMessageContaining("libnothing.so");
  }

  private NativeFiles files() throws IOException {
    return NativeFiles.of(cache, "org.bytedeco", "dnnl", "linux-x86_64");
  }
}
