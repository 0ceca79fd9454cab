package dev.heddle.cli;

import dev.heddle.nn.ModelKind;
import java.util.Arrays;
import java.util.Iterator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Models by the names users write. */
final class ModelKindConverter implements ITypeConverter<ModelKind>, Iterable<String> {
  @Override
  public ModelKind convert(String value) {
    return Arrays.stream(ModelKind.values())
        .filter(kind -> kind.label().equals(value))
        .findFirst()
        .orElseThrow(() ->
            new TypeConversionException(
                "there is no model '" + value + "'; there are " + String.join(", ", this)));
  }

  @Override
  public Iterator<String> iterator() {
    return Arrays.stream(ModelKind.values()).map(ModelKind::label).iterator();
  }
}
