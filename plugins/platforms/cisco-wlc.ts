/** Cisco wireless LAN controllers with AireOS: 2500, 3500, 5500, 8500, vWLC. Controllers with IOS-XE are `cisco_xe`. */
import type { PlatformPlugin } from "patchbay/plugin";

const name = "\\([^()\\n]{1,64}\\)";

export default {
  api: 1,
  kind: "platform",
  name: "cisco_wlc",
  aliases: ["cisco_aireos"],
  detect: [{ send: "show sysinfo", says: /Product Name\.{3,} ?Cisco Controller/i }],
  levels: {
    exec: { prompt: new RegExp(`${name} ?>`), example: "(R1) >" },
    // Lines that start with `config` are complete and need no mode.
    config: {
      prompt: new RegExp(`${name} (?:config|debug|test|transfer)[\\w \\-]{0,48}>`),
      example: "(R1) config>",
      from: "exec",
      enter: "config",
      leave: "exit",
    },
  },
  home: "exec",
  // SSH accepts every login; the controller asks for it in the shell.
  login: [
    { ask: /^\s*(?:User|login as):\s*$/i, example: "User:", reply: "{username}" },
    { ask: /^\s*Password:\s*$/i, example: "Password:", reply: "{password}" },
  ],
  prepare: ["config paging disable"],
  // Paging is a global setting and is restored. `logout` asks whether to save, which could include changes by others.
  goodbye: ["config paging enable", "logout", "n"],
  errors: [
    /^\s*Incorrect (?:usage|input)/im,
    /^\s*(?:Request failed|Invalid (?:parameter|argument|WLAN|interface))/im,
  ],
  pager: {
    prompt: /--More-- or \(q\)uit|--More--/i,
    press: " ",
    example: "--More-- or (q)uit",
    // These pagers appear even with paging disabled: in `show run-config`, in `show interface summary`.
    others: [
      { prompt: /Press Enter to continue[^\n]*/i, press: "\n" },
      { prompt: /Would you like to display the next \d+ entries\?\s*\(y\/n\)/i, press: "y\n" },
    ],
  },
  questions: [{ ask: /\(y\/n\)\s*[?:]?\s*$/i, reply: "y" }],
  save: [
    {
      send: "save config",
      questions: [
        {
          ask: /Are you sure you want to save\?\s*\(y\/n\)\s*$/i,
          example: "Are you sure you want to save? (y/n) ",
          reply: "y",
        },
      ],
      failed: /not saved|fail|error/i,
    },
  ],
  simulated: {
    refusal: "Incorrect usage.  Use the '?' or <TAB> key to list commands.",
    saved: "Configuration Saved!",
    rename: "config prompt {name}",
  },
  legacySsh: true,
  unsure: ["whether disabling paging affects other sessions; it is enabled again at the end"],
} satisfies PlatformPlugin;
