/** Memoizes failed states (choice point, position) of the backtracking matcher. */

const maxBits = 512 * 1024 * 1024;

/** A bitmap; a class, because the matcher queries it at every step. */
export class Failures {
  on = false;
  private bits = new Uint8Array(0);
  private width = 0;

  /** @param marks number of choice points; 0 if a failure does not depend on the position alone. */
  constructor(private readonly marks: number) {}

  start(length: number): void {
    const bits = this.marks * (length + 1);
    if (this.on || this.marks === 0 || bits > maxBits) return;
    this.on = true;
    this.width = length + 1;
    this.bits = new Uint8Array((bits >> 3) + 1);
  }

  forget(): void {
    if (!this.on) return;
    this.on = false;
    this.bits = new Uint8Array(0);
  }

  has(mark: number, position: number): boolean {
    if (!this.on) return false;
    const bit = mark * this.width + position;
    return ((this.bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  note(mark: number, position: number): void {
    if (!this.on) return;
    const bit = mark * this.width + position;
    this.bits[bit >> 3] = (this.bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
}
