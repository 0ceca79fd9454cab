package dev.heddle.nn;

/** Element types of weight files, by their names in the format. */
public enum TensorType {
  F32(Float.BYTES),
  I32(Integer.BYTES),
  I64(Long.BYTES);

  private final int bytes;

  TensorType(int bytes) {
    this.bytes = bytes;
  }

  /** Bytes of one element. */
  public int bytes() {
    return bytes;
  }
}
