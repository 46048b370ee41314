/** A command line platform: its prompts, the commands that enter and leave its levels, and its error messages. */
import { definePlatform } from "patchbay/plugin";

export default definePlatform({
  name: "acme_os",
  version: "1.0.0",
  aliases: ["acme"],
  home: "privileged",
  config: "config",
  levels: {
    exec: { prompt: /[\w.-]{1,63}>\s?$/, example: "R1>" },
    privileged: {
      prompt: /[\w.-]{1,63}#\s?$/,
      example: "R1#",
      from: "exec",
      enter: "enable",
      leave: "disable",
      asks: /password:\s*$/i,
      refused: /% Access denied/,
    },
    config: {
      prompt: /[\w.-]{1,63}\(config[^)]*\)#\s?$/,
      example: "R1(config)#",
      from: "privileged",
      enter: "configure terminal",
      leave: "end",
    },
  },
  detect: [{ send: "show version", says: /AcmeOS/ }],
  prepare: ["terminal length 0"],
  errors: [/^% (?:Invalid|Incomplete|Ambiguous)/m],
  save: [{ send: "write memory", failed: /^%/m }],
});
