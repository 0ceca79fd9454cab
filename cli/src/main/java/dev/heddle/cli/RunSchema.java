package dev.heddle.cli;

import dev.heddle.train.settings.Depth;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The JSON Schema of run files, for editors that check and complete them. */
final class RunSchema {
  private static final Set<Class<?>> WHOLE = Set.of(int.class, Integer.class, long.class);
  private static final Set<Class<?>> REAL = Set.of(float.class, double.class, Double.class);

  private RunSchema() {}

  static String of(CommandSpec train) {
    JsonMapper json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    ObjectNode root = json.createObjectNode();
    root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    root.put("title", "heddle train --config");
    root.put("type", "object");
    root.put("additionalProperties", false);
    ObjectNode properties = root.putObject("properties");
    for (OptionSpec option : Keys.of(train)) {
      ObjectNode property = properties.putObject(Keys.name(option));
      property.put("description", Keys.description(option));
      if (option.type() == Depth.class) {
        property.putArray("type").add("integer").add("string");
      } else {
        property.put("type", type(option.type()));
      }
      List<String> choices = Keys.choices(option);
      if (!choices.isEmpty()) {
        choices.forEach(property.putArray("enum")::add);
      }
    }
    return json.writeValueAsString(root) + "\n";
  }

  private static String type(Class<?> type) {
    return type == boolean.class || type == Boolean.class
        ? "boolean"
        : WHOLE.contains(type) ? "integer" : REAL.contains(type) ? "number" : "string";
  }
}
