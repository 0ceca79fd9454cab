package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That a digest depends on every bit of a tensor and on nothing else of its file. */
class SafetensorsDigestTest {
  private static final String TENSORS =
      "\"w\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
          + "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}";

  @TempDir private Path folder;

  private Path file(String header, byte[] data) throws IOException {
    byte[] text = header.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteBuffer length = ByteBuffer.wrap(new byte[8]).order(ByteOrder.LITTLE_ENDIAN);
    out.write(length.putLong(text.length).array());
    out.write(text);
    out.write(data);
    return Files.write(folder.resolve("model.safetensors"), out.toByteArray());
  }

  @Test
  void digestsAreOfBytesAlone() throws IOException {
    byte[] data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    var plain = SafetensorsDigest.of(file("{" + TENSORS, data));
    assertThat(plain).containsOnlyKeys("w", "b");
    // printf '\1\2\3\4\5\6\7\10' | sha256sum
    assertThat(plain.get("w"))
        .isEqualTo(
            new BitsDigest(
                "F32", "1×2", "66840dda154e8a113c31dd0ad32f7f3a366a80e8136979d8f5a101d3d29d6f72"));
    var told = SafetensorsDigest.of(file("{\"__metadata__\":{\"k\":\"v\"}," + TENSORS, data));
    assertThat(told).isEqualTo(plain);
    data[9] ^= 1;
    var changed = SafetensorsDigest.of(file("{" + TENSORS, data));
    assertThat(changed.get("w")).isEqualTo(plain.get("w"));
    assertThat(changed.get("b")).isNotEqualTo(plain.get("b"));
  }

  @Test
  void refusesWhatHoldsNoTensors() throws IOException {
    assertThatThrownBy(() -> SafetensorsDigest.of(file("{" + TENSORS, new byte[11])))
        .hasMessageContaining("a tensor lies at");
    assertThatThrownBy(() -> SafetensorsDigest.of(file("{}", new byte[0])))
        .hasMessageContaining("no tensors");
    Path text = Files.writeString(folder.resolve("text"), "no tensors here");
    assertThatThrownBy(() -> SafetensorsDigest.of(text)).hasMessageContaining("no safetensors");
  }
}
