/** Stand-in until the families are here: the seven platforms of the first end-to-end. */
import type { PlatformPlugin } from "../../src/plugin/index.ts";

const host = "[\\w.\\-@/:+]{1,63}";
const level = (suffix: string) => new RegExp(`${host}${suffix}\\s?$`);
const ciscoErrors = [/^\s*% ?(?:Invalid|Incomplete|Ambiguous|Unknown|Command incomplete|Bad|Unrecognized)/m];
const cisco = {
  exec: { prompt: level(">"), example: "R1>" },
  privileged: {
    example: "R1#",
    prompt: level("#"),
    not: /\)#\s?$/,
    from: "exec",
    enter: "enable",
    leave: "disable",
    asks: /password:\s*$/i,
    refused: /% (?:Access denied|Bad secrets?|Error in authentication)/i,
  },
  config: {
    example: "R1(config)#",
    prompt: level("\\([^)]*\\)#"),
    from: "privileged",
    enter: "configure terminal",
    leave: "end",
  },
};

const platforms: PlatformPlugin[] = [
  {
    api: 1,
    kind: "platform",
    name: "cisco_ios",
    aliases: ["cisco_xe", "cisco_ios_xe"],
    levels: cisco,
    home: "privileged",
    config: "config",
    prepare: ["terminal width 511", "terminal length 0"],
    errors: ciscoErrors,
    pager: { prompt: /--More--\s*$/i, press: " " },
    save: [{ send: "write memory" }],
  },
  {
    api: 1,
    kind: "platform",
    name: "cisco_nxos",
    levels: cisco,
    home: "privileged",
    config: "config",
    prepare: ["terminal width 511", "terminal length 0"],
    errors: ciscoErrors,
    save: [{ send: "copy running-config startup-config" }],
  },
  {
    api: 1,
    kind: "platform",
    name: "arista_eos",
    levels: cisco,
    home: "privileged",
    config: "config",
    prepare: ["terminal width 511", "terminal length 0"],
    errors: ciscoErrors,
    save: [{ send: "write memory" }],
  },
  {
    api: 1,
    kind: "platform",
    name: "linux",
    levels: {
      user: { prompt: /[^\n]{0,80}[$%]\s$/ },
      privileged: {
        prompt: /[^\n]{0,80}#\s$/,
        from: "user",
        enter: "sudo -s",
        leave: "exit",
        asks: /password[^\n]*:\s*$/i,
      },
    },
    home: "user",
    errors: [],
  },
];

export default platforms;
