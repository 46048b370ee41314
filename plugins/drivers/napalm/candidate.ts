/** NAPALM's configuration workflow within one job: load, compare, then commit or discard. */
import type { Context } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import type { ConfigurationControl } from "./system.ts";

interface Loaded {
  readonly text: string;
  readonly replace: boolean;
}

export interface CommitOptions {
  readonly message?: string | undefined;
  readonly revertIn?: number | undefined;
}

/** A candidate of this job. It exists on the device only during a comparison or commit. */
export interface Candidate {
  load(text: string, replace: boolean): { readonly loaded: true };
  /** The device's own diff. */
  compare(ctx: Context): Promise<string>;
  commit(options: CommitOptions, ctx: Context): Promise<unknown>;
  discard(): { readonly discarded: true };
  /** Whether a candidate is neither committed nor discarded. */
  readonly open: boolean;
}

export function createCandidate(configuration: ConfigurationControl): Candidate {
  let loaded: Loaded | undefined;
  return {
    get open() {
      return loaded !== undefined;
    },
    load(text, replace) {
      // Like NAPALM: a merge is appended to an earlier merge.
      const before = loaded !== undefined && !replace && !loaded.replace ? `${loaded.text}\n` : "";
      loaded = { text: before + text, replace };
      return { loaded: true };
    },
    async compare(ctx) {
      if (loaded === undefined) return (await configuration.compare?.(ctx)) ?? "";
      const { diff } = await configuration.change(
        loaded.text,
        { replace: loaded.replace, dryRun: true },
        ctx,
      );
      return diff;
    },
    async commit({ message, revertIn }, ctx) {
      if (loaded === undefined) throw nothingLoaded();
      const { text, replace } = loaded;
      const options = {
        replace,
        dryRun: false,
        ...(message === undefined ? {} : { message }),
        ...(revertIn === undefined ? {} : { revertIn }),
      };
      const change = await configuration.change(text, options, ctx);
      loaded = undefined;
      return change;
    },
    discard() {
      loaded = undefined;
      return { discarded: true };
    },
  };
}

function nothingLoaded(): PluginError {
  return new PluginError(
    "DriverError",
    "commit_config: there is no candidate. A candidate exists only within one job: load it in the same list of commands, or send `config`.",
    { outcome: "none" },
  );
}
