package dev.heddle.cli.ui;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What a request is answered with. */
record Reply(int status, String type, String text) {
  private static final JsonMapper JSON = new JsonMapper();

  /** A value as JSON. */
  static Reply json(Object value) {
    return new Reply(200, "application/json", JSON.writeValueAsString(value));
  }

  /** Why a request is not served, in one sentence. */
  static Reply refused(int status, String why) {
    return new Reply(status, "application/json", JSON.writeValueAsString(Map.of("error", why)));
  }

  byte[] bytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
