package dev.heddle.graph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class JsonTextTest {
  private static JsonFields parse(String text) throws JsonText.Fault {
    return JsonText.parse(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void readsWhatManifestsHold() throws JsonText.Fault {
    JsonFields root =
        parse(
            " {\"a\" : -12, \"b\":{ \"c\": true , \"d\" : {} }, \"e\":\"ä\\u00e4\\n\\\"\\/\","
                + " \"f\": [1, [], {\"g\": null}], \"h\": 1.5e3, \"i\": 99999999999999999999} ");
    assertThat(root.names()).containsExactly("a", "b", "e", "f", "h", "i");
    assertThat(root.number("a")).isEqualTo(-12L);
    assertThat(root.object("b").isTrue("c")).isTrue();
    assertThat(root.object("b").object("d").names()).isEmpty();
    assertThat(root.text("e")).isEqualTo("ää\n\"/");
    assertThat(root.number("f")).isNull();
    assertThat(root.number("h")).isNull();
    assertThat(root.number("i")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{}x",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{\"a\":tru}",
        "{\"a\":1f}",
        "{\"a\":+1}",
        "{\"a\":NaN}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\n\"}",
        "{\"a\":1,\"a\":1}",
        "{\"a\":[1 2]}",
        "{\"a\":\"",
        "{\"a\":[1,]}"
      })
  void refusesWhatIsNotJson(String text) {
    assertThatThrownBy(() -> parse(text)).isInstanceOf(JsonText.Fault.class);
  }

  @Test
  void deepNestingEndsInAFaultAndNotInTheStack() {
    String deep = "{\"a\":".repeat(100_000);
    assertThatThrownBy(() -> parse(deep)).hasMessageContaining("nested too deeply");
  }

  @Test
  void quotesAsOthersUnderstandIt() throws JsonText.Fault {
    StringBuilder all = new StringBuilder();
    for (char c = 0; c < 0x250; c++) {
      all.append(c);
    }
    all.append("\ud83d\ude00");
    String quoted = JsonText.quoted(all.toString());
    assertThat(new JsonMapper().readValue(quoted, String.class)).isEqualTo(all.toString());
    assertThat(parse("{\"a\":" + quoted + "}").text("a")).isEqualTo(all.toString());
  }
}
