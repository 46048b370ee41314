/** What holds where a change says nothing. */
export const changeDefaults = {
  canary: 1,
  waves: ["25%", "100%"],
  soak_seconds: 0,
  gate: "auto",
  concurrency: 50,
  limits: {
    failed: { wave: 0, total: 0 },
    unreachable: { total: "10%" },
    unknown: { wave: 0, total: 0 },
  },
  inconclusive_seconds: 30,
  /** Of a question. */
  timeout_seconds: 10,
  on_stop: "return",
  hold: "device",
  approvals: { count: 1, not_author: true, hours: 72 },
} as const;
