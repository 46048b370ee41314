/** Bounds of requests for jobs: of the schemas, and of the flags of the command line. */

/** Seconds. */
export const ttlRange = { min: 1, max: 86_400 } as const;
/** Seconds. */
export const settleRange = { min: 0, max: 600 } as const;
export const retriesRange = { min: 0, max: 10 } as const;
/** Above the maximum size of a bulk. */
export const jobsRange = { min: 1, max: 1_000_000 } as const;
