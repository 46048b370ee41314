/** The query interface of the NX-OS getters, independent of the transport. */
export interface NxosDevice {
  /** The output of a CLI command; a refusal is returned as output. */
  text(command: string): Promise<string>;
  /**
   * The structured output of the command.
   * @throws PluginError CommandError if it has none
   */
  json(command: string): Promise<unknown>;
}
