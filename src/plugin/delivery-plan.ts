/** How messages of a webhook are delivered: what a plugin may plan, and what is planned where it says nothing. */
import * as v from "valibot";

/** For what a plan does not say: three retries, the last interval repeated, and the timeout of one attempt in seconds. */
export const deliveryDefaults = { retries: 3, intervals: [10, 30, 120], timeout: 5 };

/** Delivery parameters; each has a default, `deliveryDefaults` among them. */
export interface DeliveryPlan {
  /** A URL or any name: deliveries to the same receiver run one after the other. Default: the plugin's name. */
  readonly receiver?: string;
  /** Retries after a failed attempt, at most 100. */
  readonly retries?: number;
  /** Seconds before each retry, the last one repeated. */
  readonly intervals?: readonly number[];
  /** Timeout of one attempt in seconds. */
  readonly timeout?: number;
  /** Job outcomes to deliver; default all. */
  readonly events?: readonly WebhookEvent[] | null | undefined;
  /** Whether the message includes the job's result; default true. */
  readonly includeResult?: boolean;
}

export type WebhookEvent = "job.finished" | "job.failed" | "job.cancelled";

/**
 * What is kept of a plan, with its defaults: bounded, so that no receiver is flooded and no delivery stays for ever. A
 * member that is new is absent in what is stored already, and needs a default.
 * @internal
 */
export const keptPlan = v.object({
  retries: v.optional(
    v.pipe(
      v.number("must be a number"),
      v.integer("must be a whole number"),
      v.minValue(0, "must be at least 0"),
      v.maxValue(100, "must be at most 100"),
    ),
    deliveryDefaults.retries,
  ),
  /** An empty list means no waiting of its own, not no retries. */
  intervals: v.pipe(
    v.optional(
      v.array(
        v.pipe(
          v.number("must hold numbers of seconds"),
          v.minValue(0, "must be at least 0"),
          v.maxValue(86_400, "must be at most 86400 seconds"),
        ),
        "must be a list of seconds",
      ),
      [],
    ),
    v.maxLength(100, "must have at most 100 entries"),
    v.transform((intervals) => (intervals.length > 0 ? intervals : deliveryDefaults.intervals)),
  ),
  timeout: v.optional(
    v.pipe(
      v.number("must be a number of seconds"),
      v.minValue(0.5, "must be at least 0.5 seconds"),
      v.maxValue(120, "must be at most 120 seconds"),
    ),
    deliveryDefaults.timeout,
  ),
  includeResult: v.optional(v.boolean("must be true or false"), true),
});
