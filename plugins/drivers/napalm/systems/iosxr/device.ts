/** The query interface of the iosxr getters. */
import type { XmlElement } from "patchbay/plugin";

export interface XrDevice {
  /**
   * The `<Response>` to a `<Request>` with this content.
   * @throws PluginError CommandError if the router refused it
   */
  ask(request: string): Promise<XmlElement>;
  /** The trimmed output of a command. */
  exec(command: string): Promise<string>;
  /** The trimmed output of a configuration mode command. */
  configuration(command: string): Promise<string>;
}
