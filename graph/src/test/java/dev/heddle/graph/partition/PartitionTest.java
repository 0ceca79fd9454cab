package dev.heddle.graph.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PartitionTest {
  @Test
  void onePartHasAllVertices() {
    Partition whole = Partition.whole(4);
    assertThat(whole.parts()).isEqualTo(1);
    assertThat(whole.vertices()).isEqualTo(4);
    assertThat(whole.partOf(3)).isZero();
    assertThat(whole.members(0)).containsExactly(0, 1, 2, 3);
    assertThat(whole)
        .isEqualTo(Partition.of(1, new int[4]))
        .hasSameHashCodeAs(Partition.of(1, new int[4]))
        .isNotEqualTo(Partition.whole(5))
        .isNotEqualTo(Partition.of(2, new int[4]));
  }

  @Test
  void partsHaveTheirMembers() {
    Partition partition = Partition.of(3, new int[] {0, 2, 0, 2});
    assertThat(partition.members(0)).containsExactly(0, 2);
    assertThat(partition.members(1)).isEmpty();
    assertThat(partition.partOf(3)).isEqualTo(2);
    assertThat(partition).isEqualTo(Partition.of(3, new int[] {0, 2, 0, 2}));
  }
}
