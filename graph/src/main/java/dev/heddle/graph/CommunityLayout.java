package dev.heddle.graph;

import java.util.Arrays;

/**
 * Which vertex of a {@link CommunityGraph} is in which community.
 *
 * <p>Edges and communities are drawn among places, where communities follow one another; the ids
 * say which vertex of the graph is at a place.
 */
final class CommunityLayout {
  private final int[] begins;
  private final int[] ids;

  /** By vertex of the graph. */
  private final int[] communities;

  private final int classes;

  CommunityLayout(CommunityGraph settings) {
    int vertices = settings.vertices();
    classes = settings.classes();
    begins = new int[settings.communities() + 1];
    for (int c = 0; c < begins.length; c++) {
      begins[c] = (int) ((long) c * vertices / settings.communities());
    }
    if (settings.shuffled()) {
      ids = RandomOrder.of(vertices, CommunityPurpose.IDS.key(settings));
    } else {
      ids = new int[vertices];
      Arrays.setAll(ids, place -> place);
    }
    communities = new int[vertices];
    for (int c = 0; c < communityCount(); c++) {
      for (int place = begins[c]; place < begins[c + 1]; place++) {
        communities[ids[place]] = c;
      }
    }
  }

  int vertices() {
    return ids.length;
  }

  int communityCount() {
    return begins.length - 1;
  }

  /** First place of each community, and the number of vertices. */
  int[] begins() {
    return begins;
  }

  int vertexAt(int place) {
    return ids[place];
  }

  int communityOf(int vertex) {
    return communities[vertex];
  }

  int labelOf(int vertex) {
    return communities[vertex] % classes;
  }
}
