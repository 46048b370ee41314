/** A new master key: what a former one has sealed is sealed anew while the service works. */
export interface Rotation {
  /** Former master keys were given: there may be something to do. */
  readonly isDue: boolean;

  /**
   * Seals with the current master key, in small batches; a damaged value stays as it is.
   * @returns how many values were sealed anew; after it, former keys are needed no more.
   */
  reseal(): Promise<number>;
}
