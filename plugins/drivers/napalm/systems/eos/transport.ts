/** Transport of the system eos: command lists over eAPI or in an SSH terminal session. */
import type { Context } from "patchbay/plugin";
import type { EapiAnswer, EapiCommand } from "../../../shared/eos/eapi.ts";

export interface Transport {
  /** Runs a command list in order; returns the results before a refusal. */
  run(commands: readonly EapiCommand[], format: "json" | "text", ctx: Context): Promise<EapiAnswer>;
  /** Whether lists may run concurrently. */
  readonly concurrent: boolean;
  alive(ctx: Context): Promise<boolean>;
  reusable(ctx: Context): Promise<boolean>;
  close(): Promise<void>;
}
