/** What getters of iosxr ask through. */
import type { XmlElement } from "patchbay/plugin";

export interface XrDevice {
  /**
   * The `<Response>` to what stands inside a `<Request>`.
   * @throws PluginError CommandError: the router refused it
   */
  ask(request: string): Promise<XmlElement>;
  /** What a command shows, trimmed. */
  exec(command: string): Promise<string>;
  /** What a command of configuration mode shows, trimmed. */
  configuration(command: string): Promise<string>;
}
