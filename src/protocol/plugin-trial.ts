/** Messages between the service and a child process that loads plugins before the service itself does. */
import type { PluginSettings } from "../base/plugin-settings.ts";
import type { WorkerSettings } from "./message-port.ts";

/** Starts the program as such a child. */
export const pluginTrialFlag = "--plugin-trial";

export interface ToTrial {
  readonly plugins: WorkerSettings["plugins"];
  readonly settings: PluginSettings;
}

/** Plugins are named by their position in the request. */
export type FromTrial =
  /** Sent once it can receive the request. */
  | { readonly type: "listening" }
  /** The child loads this plugin now, so this one is the reason if it hangs or ends. */
  | { readonly type: "begun"; readonly at: number }
  /** Its manifests are in order; now it loads the implementations. */
  | { readonly type: "manifest"; readonly at: number }
  /**
   * @property reason why the plugin cannot be loaded; absent if it can.
   * @property lacks why implementations of it cannot.
   */
  | { readonly type: "tried"; readonly at: number; readonly reason?: string; readonly lacks?: string };
