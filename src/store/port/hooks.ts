/** Hooks, and the deliveries that they remember. */
import type { HookDeliveryRow, HookRow } from "../tables/recipes.ts";
import type { Actor } from "./trail.ts";

/** `spec` is JSON text; undefined, as `secret`: it can no longer be decrypted. */
export interface StoredHook extends Omit<HookRow, "spec" | "secret"> {
  readonly spec: string | undefined;
  readonly secret: string | undefined;
}

export interface HookValues extends Pick<StoredHook, "id" | "recipe" | "name" | "owner" | "token"> {
  readonly spec: string;
  readonly secret: string;
}

export type HookDelivery = Pick<HookDeliveryRow, "hook" | "content" | "delivery" | "run">;
export type StoredHookDelivery = HookDelivery & Pick<HookDeliveryRow, "begun">;

export interface Hooks {
  /** @returns `taken`: the recipe has one of this name; `full`: there are too many */
  add(hook: HookValues, by: Actor): Promise<"added" | "taken" | "full">;
  /** @returns false: there is none with this id */
  change(hook: HookValues, by: Actor): Promise<boolean>;
  /** By name. */
  list(recipe: string): Promise<readonly StoredHook[]>;
  find(recipe: string, name: string): Promise<StoredHook | undefined>;
  /** @param token its hash */
  byToken(token: string): Promise<StoredHook | undefined>;
  /** With what it remembers. @returns false: there is none with this id */
  remove(hook: Pick<StoredHook, "id" | "recipe" | "name">, by: Actor): Promise<boolean>;
  /** Those with this content or this id that are remembered: one of them, or two. */
  deliveries(of: Omit<HookDelivery, "run">): Promise<readonly StoredHookDelivery[]>;
  /**
   * Remembers a delivery, unless there is one with this content or this id; forgets old ones.
   * @returns those that are remembered now, as `deliveries`; none: there are too many, or the hook is gone
   */
  remember(delivery: HookDelivery): Promise<readonly StoredHookDelivery[]>;
  /** Its run is stored. */
  begun(delivery: HookDelivery): Promise<void>;
}
