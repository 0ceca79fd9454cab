package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlGroupTest {
  @TempDir private Path root;

  private Path groups(String lines) throws IOException {
    return Files.writeString(root.resolve("groups"), lines);
  }

  private void file(String path, String text) throws IOException {
    Files.createDirectories(root.resolve(path).resolveSibling(""));
    Files.writeString(root.resolve(path), text);
  }

  @Test
  void cacheOfTheSecondVersionCountsAsFree() throws IOException {
    file("pod/box/memory.max", "1000\n");
    file("pod/box/memory.current", "700\n");
    file("pod/box/memory.stat", "anon 400\ninactive_file 250\n");
    assertThat(ControlGroup.availableBytes(groups("0::/pod/box\n"), root)).isEqualTo(550);
  }

  @Test
  void theGroupAroundMayHaveLess() throws IOException {
    file("pod/memory.max", "900\n");
    file("pod/memory.current", "800\n");
    file("pod/box/memory.max", "max\n");
    file("pod/box/memory.current", "700\n");
    assertThat(ControlGroup.availableBytes(groups("0::/pod/box\n"), root)).isEqualTo(100);
  }

  @Test
  void theFirstVersionIsReadToo() throws IOException {
    file("memory/box/memory.limit_in_bytes", "1000\n");
    file("memory/box/memory.usage_in_bytes", "600\n");
    Path groups = groups("5:cpu,cpuacct:/box\n4:memory:/box\n0::/\n");
    assertThat(ControlGroup.availableBytes(groups, root)).isEqualTo(400);
  }

  @Test
  void withoutGroupsThereIsNoLimit() throws IOException {
    assertThat(ControlGroup.availableBytes(groups("0::/\n"), root)).isEqualTo(Long.MAX_VALUE);
    assertThat(ControlGroup.availableBytes(root.resolve("none"), root)).isEqualTo(Long.MAX_VALUE);
  }
}
