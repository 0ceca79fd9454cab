package dev.heddle.cli;

import dev.heddle.kernel.Kernels;
import dev.heddle.train.run.Version;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** On what a run ran. */
final class Environment {
  private Environment() {}

  static String json(List<String> arguments) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("heddle", Version.CURRENT);
    fields.put("time", Instant.now().toString());
    fields.put("arguments", arguments);
    fields.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
    fields.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    fields.put("architecture", System.getProperty("os.arch"));
    fields.put("processors", Runtime.getRuntime().availableProcessors());
    fields.put("heapBytes", Runtime.getRuntime().maxMemory());
    fields.put("kernels", Kernels.description());
    return JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build()
            .writeValueAsString(fields)
        + "\n";
  }
}
