package dev.heddle.graph;

import java.util.Arrays;

/** The split of a {@link CommunityGraph}. */
final class CommunitySplit {
  private static final byte TEST = 0;
  private static final byte VALID = 1;
  private static final byte TRAIN = 2;

  private CommunitySplit() {}

  static Split of(CommunityGraph settings, CommunityLayout layout) {
    long key = CommunityPurpose.SPLIT.key(settings);
    return settings.clustered()
        ? clustered(settings, layout, key)
        : RandomSplit.of(layout.vertices(), settings.train(), settings.valid(), key);
  }

  /** Of every class, communities are trained on whole, one after another up to the share. */
  private static Split clustered(CommunityGraph settings, CommunityLayout layout, long key) {
    int vertices = layout.vertices();
    byte[] part = new byte[vertices];
    long[] missing = new long[settings.classes()];
    for (int v = 0; v < vertices; v++) {
      missing[layout.labelOf(v)]++;
    }
    Arrays.setAll(missing, label -> Math.max(1, Math.round(settings.train() * missing[label])));
    int[] communities =
        RandomOrder.of(layout.communityCount(), CommunityPurpose.CLUSTERS.key(settings));
    for (int community : communities) {
      int end = layout.begins()[community + 1];
      for (int place = layout.begins()[community]; place < end; place++) {
        int vertex = layout.vertexAt(place);
        if (missing[layout.labelOf(vertex)] > 0) {
          missing[layout.labelOf(vertex)]--;
          part[vertex] = TRAIN;
        }
      }
    }
    long validMissing = Math.round(settings.valid() * vertices);
    int[] order = RandomOrder.of(vertices, key);
    for (int i = 0; i < vertices && validMissing > 0; i++) {
      if (part[order[i]] == TEST) {
        part[order[i]] = VALID;
        validMissing--;
      }
    }
    return new Split(members(part, TRAIN), members(part, VALID), members(part, TEST));
  }

  private static int[] members(byte[] part, byte wanted) {
    int count = 0;
    for (byte p : part) {
      count += p == wanted ? 1 : 0;
    }
    int[] members = new int[count];
    for (int v = 0, i = 0; i < count; v++) {
      if (part[v] == wanted) {
        members[i++] = v;
      }
    }
    return members;
  }
}
