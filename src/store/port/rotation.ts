/** Master key rotation: re-encrypts values of former keys while the service runs. */
export interface Rotation {
  /** Whether former master keys are configured, so there may be values to re-encrypt. */
  readonly isDue: boolean;

  /**
   * Re-encrypts values with the current master key in small batches; damaged values are left as they are.
   * @returns how many were re-encrypted; afterwards the former keys are no longer needed
   */
  reseal(): Promise<number>;
}
