package dev.heddle.graph.store;

import dev.heddle.graph.FeatureSchema;
import dev.heddle.graph.GraphFormatException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which arrays a store may have, of which type and of which length; told by the manifest alone. */
final class ManifestRules {
  /** Ids leave room for one past the last. */
  private static final long MOST_VERTICES = Integer.MAX_VALUE - 64;

  private final Path file;
  private final Manifest manifest;
  private final long vertices;
  private final Set<String> known = new HashSet<>();

  private ManifestRules(Path folder, Manifest manifest) {
    this.file = folder.resolve(Manifest.FILE);
    this.manifest = manifest;
    this.vertices = manifest.vertices();
  }

  static void check(Path folder, Manifest manifest) {
    new ManifestRules(folder, manifest).check();
  }

  private void check() {
    if (vertices < 1 || vertices > MOST_VERTICES) {
      throw fault(vertices + " vertices: there must be 1 to " + MOST_VERTICES);
    }
    csr(Names.IN, vertices, manifest.arcs());
    if (manifest.has(Names.IN + Names.TYPES)) {
      vector(Names.IN + Names.TYPES, ElementType.UINT16, manifest.arcs());
      if (manifest.arcTypes().isEmpty()) {
        throw fault("arcs have types, but arcTypes names none");
      }
    }
    if (manifest.has(Names.IN + Names.TIMES)) {
      vector(Names.IN + Names.TIMES, ElementType.INT64, manifest.arcs());
    }
    if (!manifest.symmetric()) {
      csr(Names.OUT, vertices, manifest.arcs());
    }
    features();
    labels();
    names();
    for (int split = 0; split < manifest.splits(); split++) {
      for (String part : new String[] {Names.TRAIN, Names.VALID, Names.TEST}) {
        String name = Names.split(split, part);
        vector(name, ElementType.INT32, -1);
        if (manifest.entry(name).shape().rows() > vertices) {
          throw fault(name + " has more members than there are vertices");
        }
      }
    }
    ids();
    for (String name : manifest.arrays().keySet()) {
      if (name.startsWith(Names.PARTITION) && StoredPartitions.number(name) > 0) {
        vector(name, ElementType.INT32, vertices);
      }
      if (!known.contains(name)) {
        throw fault("the array " + name + " has no meaning");
      }
    }
  }

  private void csr(String prefix, long rows, long arcs) {
    vector(prefix + Names.OFFSETS, ElementType.INT64, rows + 1);
    vector(prefix + Names.IDS, ElementType.INT32, arcs);
    if (manifest.has(prefix + Names.WEIGHTS)) {
      vector(prefix + Names.WEIGHTS, ElementType.FLOAT32, arcs);
    }
  }

  private void features() {
    if (manifest.has(Names.FEATURES)) {
      matrix(Names.FEATURES);
    }
    if (!manifest.has(Names.FEATURES + Names.OFFSETS)) {
      return;
    }
    if (!manifest.has(Names.COLUMNS + Names.OFFSETS)
        || !manifest.has(Names.FEATURES + Names.IDS)
        || !manifest.has(Names.FEATURES + Names.WEIGHTS)
        || !manifest.has(Names.COLUMNS + Names.WEIGHTS)) {
      throw fault("arrays of the sparse features are missing");
    }
    if (manifest.has(Names.FEATURES)) {
      throw fault("features both dense and sparse");
    }
    long values = manifest.entry(Names.FEATURES + Names.IDS).shape().rows();
    long width = manifest.entry(Names.COLUMNS + Names.OFFSETS).shape().rows() - 1;
    if (width < 1 || width > MOST_VERTICES) {
      throw fault("features of " + width + " columns");
    }
    csr(Names.FEATURES, vertices, values);
    csr(Names.COLUMNS, width, values);
  }

  private void labels() {
    LabelInfo labels = manifest.labels();
    if (labels == null) {
      return;
    }
    if (labels.kind() == LabelInfo.Kind.CLASS) {
      vector(Names.LABELS, ElementType.INT32, vertices);
      return;
    }
    matrix(Names.LABELS);
    if (manifest.entry(Names.LABELS).shape().columns() != labels.width()) {
      throw fault("labels are not of width " + labels.width());
    }
  }

  /** Names are as many as what they name, and no two alike: they are looked up by name. */
  private void names() {
    LabelInfo labels = manifest.labels();
    if (labels != null) {
      names("labels", labels.names(), labels.width());
    }
    if (!manifest.hasFeatures() && !manifest.features().equals(FeatureSchema.UNKNOWN)) {
      throw fault("it tells of features, and lists none");
    }
    if (manifest.hasFeatures()) {
      boolean dense = manifest.has(Names.FEATURES);
      long width =
          dense
              ? manifest.entry(Names.FEATURES).shape().columns()
              : manifest.entry(Names.COLUMNS + Names.OFFSETS).shape().rows() - 1;
      names("features", manifest.features().names(), width);
    }
    Set<String> types = new HashSet<>(manifest.arcTypes());
    if (types.size() != manifest.arcTypes().size()) {
      throw fault("arcTypes has a name twice");
    }
  }

  private void names(String what, List<String> names, long expected) {
    if (!names.isEmpty() && names.size() != expected) {
      throw fault(what + " of width " + expected + " have " + names.size() + " names");
    }
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw fault(what + " have the name '" + name + "' twice");
      }
    }
  }

  private void ids() {
    if (!manifest.has(Names.USER_IDS)) {
      return;
    }
    vector(Names.USER_IDS + Names.SORTED, ElementType.INT32, vertices);
    if (manifest.has(Names.USER_IDS + Names.OFFSETS)) {
      vector(Names.USER_IDS + Names.OFFSETS, ElementType.INT64, vertices + 1);
      vector(Names.USER_IDS, ElementType.UINT8, -1);
    } else {
      vector(Names.USER_IDS, ElementType.INT64, vertices);
    }
  }

  /** A length of −1 is any. */
  private void vector(String name, ElementType type, long length) {
    ArrayShape shape = shape(name);
    if (shape.isMatrix() || shape.type() != type || (length >= 0 && shape.rows() != length)) {
      throw fault(name + " is not " + type.label() + (length < 0 ? "" : " of length " + length));
    }
  }

  private void matrix(String name) {
    ArrayShape shape = shape(name);
    if (!shape.isMatrix() || shape.rows() != vertices) {
      throw fault(name + " is not a matrix of " + vertices + " rows");
    }
  }

  private ArrayShape shape(String name) {
    if (!manifest.has(name)) {
      throw fault("the array " + name + " is missing");
    }
    known.add(name);
    return manifest.entry(name).shape();
  }

  private GraphFormatException fault(String fault) {
    return new GraphFormatException(file, fault);
  }
}
