/** Linux shells: bash, ash, sh; root through sudo. */
import type { PlatformPlugin } from "patchbay/plugin";
import { shellEditor } from "./family/family.ts";
import { linuxReads } from "./family/reads-others.ts";
import { linuxRunning } from "./family/running.ts";

export default {
  api: 1,
  kind: "platform",
  name: "linux",
  detect: [{ send: "uname -a", says: /Linux/i, vague: true }],
  levels: {
    // The path is optional; the trailing blank is optional only after user and host.
    user: {
      prompt:
        /(?! {0,8}[\d.]{1,6} ?% )[^\n]{0,200}[$%] |[\w.-]{1,64}@[\w.-]{1,100}[^\n]{0,160}[$]|\[[^\]\n]{1,120}\]\$|[\w.@-]{1,64}:[~/][^\s>]{0,160} ?> ?|[\w.-]{1,64}@[\w.-]{1,100} [~/][^\n>]{0,160}> ?/,
      example: "user@R1:~$ ",
    },
    root: {
      prompt: /[^\n]{0,200}# |(?:\[[^\]\n]{1,120}\]|[\w.-]{1,64}@[\w.-]{1,100}[^\n]{0,160})#/,
      example: "root@R1:~# ",
      from: "user",
      enter: "sudo -s",
      leave: "exit",
      // Only the beginning is independent of the server's language: `[sudo] Passwort für ann:`, and of
      // sudo-rs `[sudo: authenticate] Mot de passe :`.
      asks: /(?:password|^\[sudo(?:\]|: [^\]\n]{1,60}\]) )[^\n]{0,80}[:：]\s*$/i,
      refused: /^(?:Sorry, try again|sudo(?:-rs)?: |[\w.-]+ is not in the sudoers file)/m,
    },
  },
  home: "user",
  config: "root",
  errors: [
    /^(?:[^\n:]{1,80}: )*(?:[^\n:]{1,80}: )?(?:command not found|not found|Permission denied|No such file or directory|syntax error[^\n]*)$/m,
  ],
  save: [],
  running: linuxRunning,
  reads: linuxReads,
  ...shellEditor,
  hiddenState: true,
  simulated: { denied: "Sorry, try again.", rename: null },
  files: {
    by: ["sftp", "scp"],
    hash: { algorithm: "sha256", command: "sha256sum {path}", match: /^([0-9a-f]{64})\b/m },
  },
} satisfies PlatformPlugin;
