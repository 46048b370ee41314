/** Huawei VRP, and VRP version 8 with its candidate configuration. */
import type { PlatformPlugin, PrivilegeLevel, Question, SimulatedDialogue } from "patchbay/plugin";
import { viewModes } from "./family/modes.ts";
import { vrpReads } from "./family/reads-others.ts";
import { vrpRunning } from "./family/running.ts";

const levels: Record<"user" | "config", PrivilegeLevel> = {
  user: { prompt: /(?:HRP_[A-Z]{1,2})?<(?!cr>)[^\s<>="/?!][^<>="\n]{0,250}(?<! )>/, example: "<R1>" },
  config: {
    // A line such as [V200R009C00SPC500] in `display current-configuration` is not a prompt.
    prompt:
      /(?:HRP_[A-Z]{1,2})?\[(?!(?:Y\/N|y\/n|OK|ok|\d{1,3}%)\])[~*]?(?!V\d{3}R\d{3})[^\s[\]="][^[\]="\n]{0,300}\]/,
    example: "[R1]",
    from: "user",
    enter: "system-view",
    leave: "return",
  },
};

/** AR routers and firewalls use the second form. */
const yes: Question = {
  ask: /(?:\[Y(?:\(yes\))?\/N(?:\(no\))?[^\]\n]*\]|\(y\/n\)\[[yn]\])\s*:?\s*$/i,
  example: "Are you sure to continue?[Y/N]",
  reply: "y",
};

const dialogues: readonly SimulatedDialogue[] = [
  {
    line: /^reboot$/,
    asks: [
      {
        text: "Warning: All the configuration will be saved to the next startup configuration. Continue ? [y/n]:",
      },
      { text: "System will reboot! Continue ? [y/n]:" },
    ],
  },
  {
    line: /^reset saved-configuration$/,
    asks: [{ text: "The action will delete the saved configuration in the device.\r\nContinue? [Y/N]:" }],
  },
];

const shared = {
  api: 1,
  kind: "platform",
  home: "user",
  config: "config",
  // Declines to change the password or save the configuration at login.
  login: [
    {
      ask: /(?:Change now|Please choose|security risks in the configuration file)[^\n]*$/i,
      example: "The password needs to be changed. Change now? [Y/N]: ",
      reply: "N",
    },
  ],
  prepare: ["screen-length 0 temporary"],
  goodbye: ["quit"],
  // Ctrl-T types a question mark.
  keys: { "?": "\x14", "\t": null },
  running: vrpRunning,
  reads: vrpReads,
  unsure: ["running.ignore: the wording of the header"],
  errors: [/^\s*Error(?:\[\d{1,4}\])?:/m],
  pager: { prompt: / *---- More ----\s*$/, press: " ", example: "  ---- More ----" },
  simulated: { rename: "sysname {name}", modes: viewModes(""), pipes: "vrp", dialogues },
  blocks: [
    {
      start: /^\s*header\s+(?:login|shell)\s+information\s+(\S)/i,
      says: "Info: Enter the text, and end it with the character '$1'.",
    },
  ],
  questions: [yes],
  save: [
    {
      send: "save",
      questions: [
        yes,
        { ask: /press the enter key\)\s*:?\s*$/i, reply: "" },
        // The first save also asks for the file name.
        {
          ask: /input the file name[^\n]{0,80}:\s*$/i,
          example: "Info: Please input the file name ( *.cfg, *.zip ) [vrpcfg.zip]:",
          reply: "",
        },
      ],
      failed: /^\s*Error:/m,
    },
  ],
} satisfies Partial<PlatformPlugin>;

const vrp: PlatformPlugin = {
  ...shared,
  name: "huawei",
  aliases: ["huawei_vrp"],
  detect: [
    { send: "display version", says: /Huawei Technologies|Huawei Versatile Routing Platform Software/i },
  ],
  levels,
};

const vrp8: PlatformPlugin = {
  ...shared,
  name: "huawei_vrpv8",
  aliases: ["huawei_vrp8"],
  simulated: { ...shared.simulated, modes: viewModes("~") },
  levels: {
    ...levels,
    config: {
      ...levels.config,
      example: "[~R1]",
      leaveQuestions: [
        {
          ask: /Uncommitted configurations found[\s\S]*\]\s*:?\s*$/i,
          example:
            "Warning: Uncommitted configurations found. Are you sure to commit them before exiting? [Y(yes)/N(no)/C(cancel)]:",
          reply: "n",
        },
      ],
    },
  },
  candidate: {
    diff: "display configuration candidate changes",
    commit: [{ send: "commit" }],
    commitComment: [{ send: "commit description {comment}" }],
    confirm: [{ send: "commit trial {seconds}" }],
    confirmComment: [{ send: "commit trial {seconds} description {comment}" }],
    discard: [{ send: "clear configuration candidate" }],
    failed: [/^\s*Error:/m, /Failed to generate committed config/],
  },
  unsure: [
    "candidate.diff",
    "candidate.confirm: whether a provisional commit survives the end of its session",
  ],
};

export default [vrp, vrp8];
