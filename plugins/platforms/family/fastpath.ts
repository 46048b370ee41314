/** Switches on Broadcom FASTPATH with the name in parentheses: Netgear, Ubiquiti. */
import type { PlatformPlugin, PrivilegeLevel, Step } from "patchbay/plugin";
import { blankSecret, ciscoErrors, ciscoStyle, spacedName } from "./family.ts";

/** `(R1) `, Broadcom's default, or the name alone on some vendors and releases. */
const name = `(?:\\([^()\\n]{1,64}\\) ?|${spacedName} ?)`;
const style = ciscoStyle({ name, gap: " ?" });

export const fastpathLevels: Readonly<Record<"exec" | "privileged" | "config", PrivilegeLevel>> = {
  exec: { prompt: style.exec.prompt, example: "(R1) >" },
  privileged: blankSecret({
    ...style.privileged,
    example: "(R1) #",
    leave: "exit",
    refused: /^(?:% ?)?(?:Incorrect Password|Access denied|Bad secrets?)/im,
  }),
  // `(R1) (Config)#`, `(R1) (Interface 0/1)#`, `R1(config-if)#`
  config: { ...style.config, example: "(R1) (Config)#", enter: "configure", leave: "exit" },
};

export const fastpathSave: readonly Step[] = [
  {
    send: "write memory",
    questions: [
      {
        ask: /Are you sure you want to save\?\s*\(y\/n\)\s*$/i,
        example: "Are you sure you want to save? (y/n) ",
        reply: "y",
      },
    ],
    failed: /^\s*%|fail|could not|not saved/im,
  },
];

export const fastpath = {
  api: 1,
  kind: "platform",
  levels: fastpathLevels,
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["terminal length 0"] },
  errors: [
    ...ciscoErrors,
    /^(?:Command not found|Incomplete command|Ambiguous command|An invalid interface has been used|Error!|ERROR:)/m,
  ],
  pager: { prompt: /--More--(?: or \(q\)uit)?/i, press: " ", example: "--More-- or (q)uit" },
  questions: [{ ask: /\(y\/n\)\s*[?:]?\s*$/i, reply: "y" }],
  simulated: {
    saved: "Configuration Saved!",
    denied: "Incorrect Password!",
    modes: [
      { line: /^interface (\S+)$/, mark: "Interface $1" },
      { line: /^vlan database$/, mark: "Vlan" },
      { line: /^router (\S+)/, mark: "Config-router" },
      { line: /^ip dhcp pool\b/, mark: "Config dhcp-pool" },
      { line: /^line (\S+)/, mark: "Config-$1" },
    ],
    pipes: "ios",
  },
  legacySsh: true,
} satisfies Partial<PlatformPlugin>;
