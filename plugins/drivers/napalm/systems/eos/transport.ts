/** What the system eos is asked through: lists of commands over eAPI or typed in a session over SSH. */
import type { Context } from "patchbay/plugin";
import type { EapiAnswer, EapiCommand } from "../../../shared/eapi.ts";

export interface Transport {
  /** A list of commands, each behind the other; the results of those before a refusal stand. */
  run(commands: readonly EapiCommand[], format: "json" | "text", ctx: Context): Promise<EapiAnswer>;
  /** Whether lists may be asked side by side. */
  readonly concurrent: boolean;
  alive(ctx: Context): Promise<boolean>;
  reusable(ctx: Context): Promise<boolean>;
  close(): Promise<void>;
}
