/** The platform of the router in fake-device.ts. */
import type { PlatformPlugin } from "../../../src/plugin/platform.ts";

export const router: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "test_ios",
  home: "privileged",
  config: "config",
  levels: {
    exec: { prompt: /[\w.-]{1,63}>\s?/ },
    privileged: {
      prompt: /[\w.-]{1,63}#\s?/,
      from: "exec",
      enter: "enable",
      leave: "disable",
      asks: /password:\s*$/i,
    },
    config: {
      prompt: /[\w.-]{1,63}\(config[^)]*\)#\s?/,
      from: "privileged",
      enter: "configure terminal",
      leave: "end",
    },
  },
  prepare: ["terminal width 511", "terminal length 0"],
  errors: [/^% ?(?:Invalid|Incomplete|Ambiguous|Unknown)/],
  pager: { prompt: /--More--/, press: " " },
  save: [{ send: "write memory", success: /\[OK\]/ }],
};
