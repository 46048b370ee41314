/** What getters of NX-OS ask through, whatever the transport. */
export interface NxosDevice {
  /** What the command shows at the command line; a refusal is part of it. */
  text(command: string): Promise<string>;
  /**
   * The structure that the command gives.
   * @throws PluginError CommandError: the command has none
   */
  json(command: string): Promise<unknown>;
}
