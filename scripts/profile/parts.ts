/** Maps files to parts of a job's path; the first match wins. */
export interface Part {
  readonly name: string;
  readonly files: RegExp;
}

export const parts: readonly Part[] = [
  {
    name: "answer",
    files: /src\/(http\/(send-answer|respond|export-)|jobs\/(record|query|bulk\/bulk-query))/,
  },
  { name: "HTTP and keys", files: /src\/(http|auth|runtime\/net\/serve|limits\/admission)/ },
  { name: "seal", files: /src\/store\/(cipher|libsql\/database\/seals)/ },
  { name: "insert", files: /src\/store\/libsql\/(.*\/)?insert/ },
  {
    name: "claim",
    files:
      /src\/(store\/libsql\/(.*\/)?(claims|home)|dispatch\/(dispatcher|lanes|node\/peers)|limits\/share-tree)/,
  },
  {
    name: "settle",
    files: /src\/(store\/libsql\/(.*\/)?(settlements|kept)|dispatch\/(finish|result|outcome))/,
  },
  { name: "store", files: /src\/store/ },
  { name: "checks of a request", files: /src\/(jobs|api|registry|inventory|limits|checks)/ },
  { name: "attempt", files: /src\/dispatch/ },
  { name: "thread hop", files: /src\/(pool|protocol|runtime)/ },
  { name: "SSH", files: /src\/device\/ssh/ },
  { name: "terminal", files: /src\/device\/cli/ },
  { name: "task", files: /src\/executor/ },
  { name: "driver", files: /plugins\/(drivers|platforms)/ },
  { name: "templates", files: /plugins\/templates/ },
  { name: "events, schedules, metrics", files: /src\/(events|schedules|metrics|tracing)/ },
  { name: "simulated device", files: /src\/testkit\/simulator/ },
  { name: "the profiler", files: /scripts\/profile/ },
  { name: "bench itself", files: /scripts\// },
  { name: "what all rooms use", files: /src\/base/ },
  { name: "other code", files: /\/(src|plugins|migrations)\// },
];

export function partOf(url: string): string | undefined {
  return parts.find(({ files }) => files.test(url))?.name;
}
