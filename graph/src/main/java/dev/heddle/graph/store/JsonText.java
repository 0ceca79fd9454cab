package dev.heddle.graph.store;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON (RFC 8259) as far as a manifest goes. Opening a store may be the first thing a process
 * does, and loading a library for one small file would take longer than all the rest.
 */
final class JsonText {
  /** What is nested deeper is no manifest, and must not exhaust the stack. */
  private static final int DEEPEST = 32;

  private static final String ESCAPED = "\"\\/bfnrt";
  private static final String UNESCAPED = "\"\\/\b\f\n\r\t";

  private final String text;
  private int at;

  private JsonText(String text) {
    this.text = text;
  }

  /** What is wrong with a text. */
  static final class Fault extends Exception {
    private static final long serialVersionUID = 1;

    Fault(String message) {
      super(message);
    }
  }

  /** Reads one object and nothing after it. */
  static JsonFields parse(byte[] bytes) throws Fault {
    JsonText json = new JsonText(decode(bytes));
    json.skipSpace();
    JsonFields root = json.object(1);
    json.skipSpace();
    if (json.at < json.text.length()) {
      throw json.fault("something follows the object");
    }
    return root;
  }

  /** A string in quotes. */
  static String quoted(String value) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      int escape = c == '/' ? -1 : UNESCAPED.indexOf(c);
      if (escape >= 0) {
        quoted.append('\\').append(ESCAPED.charAt(escape));
      } else if (c < ' ') {
        quoted.append("\\u00").append(c < 0x10 ? "0" : "").append(Integer.toHexString(c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  private static String decode(byte[] bytes) throws Fault {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      throw new Fault("it is not UTF-8");
    }
  }

  private JsonFields object(int depth) throws Fault {
    expect('{');
    Map<String, Object> fields = new LinkedHashMap<>();
    skipSpace();
    if (accept('}')) {
      return new JsonFields(fields);
    }
    do {
      skipSpace();
      String name = string();
      skipSpace();
      expect(':');
      if (fields.put(name, value(depth)) != null) {
        throw fault("\"" + name + "\" is there twice");
      }
    } while (accept(','));
    expect('}');
    return new JsonFields(fields);
  }

  /** A value and the space around it. */
  private Object value(int depth) throws Fault {
    if (depth > DEEPEST) {
      throw fault("it is nested too deeply");
    }
    skipSpace();
    Object value =
        switch (peek()) {
          case '{' -> object(depth + 1);
          case '[' -> array(depth + 1);
          case '"' -> string();
          default -> word();
        };
    skipSpace();
    return value;
  }

  private List<Object> array(int depth) throws Fault {
    List<Object> values = new ArrayList<>();
    expect('[');
    skipSpace();
    if (!accept(']')) {
      do {
        values.add(value(depth));
      } while (accept(','));
      expect(']');
    }
    return values;
  }

  /** A number, or true, false or null. */
  private Object word() throws Fault {
    int start = at;
    while (Character.isLetterOrDigit(peek()) || "+-.".indexOf(peek()) >= 0) {
      at++;
    }
    String word = text.substring(start, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null" -> "'null'";
      default -> number(word);
    };
  }

  private Object number(String word) throws Fault {
    try {
      // Java also takes NaN, +1, 1f and 0x1p0 for numbers.
      if (word.chars().anyMatch(c -> Character.isLetter(c) && c != 'e' && c != 'E')
          || word.startsWith("+")) {
        throw new NumberFormatException(word);
      }
      double real = Double.parseDouble(word);
      return word.chars().allMatch(c -> c == '-' || Character.isDigit(c))
          ? whole(word, real)
          : real;
    } catch (NumberFormatException _) {
      throw fault(word.isEmpty() ? "there is no value" : "'" + word + "' is no value");
    }
  }

  private static Object whole(String word, double real) {
    try {
      return Long.parseLong(word);
    } catch (NumberFormatException _) {
      return real;
    }
  }

  private String string() throws Fault {
    expect('"');
    StringBuilder value = new StringBuilder();
    while (!accept('"')) {
      char c = next();
      if (c < ' ') {
        throw fault("a line ends inside a string");
      }
      value.append(c == '\\' ? escaped() : c);
    }
    return value.toString();
  }

  private char escaped() throws Fault {
    char c = next();
    if (c == 'u') {
      int end = Math.min(at + 4, text.length());
      try {
        char value = (char) Integer.parseUnsignedInt(text, at, end, 16);
        at = end;
        return value;
      } catch (NumberFormatException _) {
        throw fault("\\u is not followed by four digits");
      }
    }
    int known = ESCAPED.indexOf(c);
    if (known < 0) {
      throw fault("\\" + c + " means nothing");
    }
    return UNESCAPED.charAt(known);
  }

  private void skipSpace() {
    while (" \t\r\n".indexOf(peek()) >= 0) {
      at++;
    }
  }

  /** The next character; 0 at the end. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private char next() throws Fault {
    if (at == text.length()) {
      throw fault("it ends too early");
    }
    return text.charAt(at++);
  }

  private boolean accept(char c) {
    if (peek() != c) {
      return false;
    }
    at++;
    return true;
  }

  private void expect(char c) throws Fault {
    if (!accept(c)) {
      throw fault(at == text.length() ? "it ends too early" : "'" + c + "' is missing");
    }
  }

  private Fault fault(String fault) {
    return new Fault(fault + " (at character " + at + ")");
  }
}
