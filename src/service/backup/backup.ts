/** Backup and restore, loaded on demand by commands. */
export { kindOf } from "../../backup/read.ts";
export { makeBackup } from "./make.ts";
export { passphraseIn, passphraseOf } from "./passphrase.ts";
export { putBack } from "./restore.ts";
export { isUnfinished, markFinished, markUnfinished, undoUnfinished } from "./unfinished.ts";
