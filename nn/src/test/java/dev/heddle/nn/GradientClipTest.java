package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GradientClipTest {
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final Parameter p = Parameter.allocate(memory, "p", 1, 3);
  private final Parameter q = Parameter.allocate(memory, "q", 2, 1);

  @BeforeEach
  void setGradients() {
    p.grad().fill(Float.NaN); // Padding must not count.
    q.grad().fill(Float.NaN);
    p.grad().setRow(0, new float[] {3, -4, 0});
    q.grad().setRow(0, new float[] {12});
    q.grad().setRow(1, new float[] {0.5f});
  }

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  @Test
  void normOfAllGradientsTogetherIsBounded() {
    GradientClip.ByNorm clip = GradientClip.byNorm(memory, List.of(p, q), 2);
    clip.apply(team);
    // By torch's clip_grad_norm_.
    assertThat(clip.norm()).isCloseTo(13.009612, within(1e-6));
    assertThat(p.grad().toArray()[0])
        .containsExactly(new float[] {0.46119744f, -0.6149299f, 0}, within(1e-7f));
    assertThat(q.grad().get(0, 0)).isCloseTo(1.8447897f, within(2e-7f));
    assertThat(q.grad().get(1, 0)).isCloseTo(0.07686624f, within(1e-7f));
  }

  @Test
  void smallNormIsLeftAlone() {
    GradientClip.byNorm(memory, List.of(p, q), 14).apply(team);
    assertThat(p.grad().toArray()[0]).containsExactly(3, -4, 0);
  }

  @Test
  void infiniteNormIsTold() {
    p.grad().set(0, 1, Float.POSITIVE_INFINITY);
    GradientClip.ByNorm clip = GradientClip.byNorm(memory, List.of(p, q), 2);
    clip.apply(team);
    assertThat(clip.norm()).isInfinite();
  }

  @Test
  void valuesAreBounded() {
    GradientClip.byValue(memory, List.of(p, q), 2.5f).apply(team);
    assertThat(p.grad().toArray()[0]).containsExactly(2.5f, -2.5f, 0);
    assertThat(q.grad().toArray()).isDeepEqualTo(new float[][] {{2.5f}, {0.5f}});
  }
}
