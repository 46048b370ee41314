/** Maps files to parts of a job's path; the first match wins. */
export interface Part {
  readonly name: string;
  readonly files: RegExp;
}

export const parts: readonly Part[] = [
  { name: "answer", files: /src\/(http\/(send-answer|respond|export-)|jobs\/(record|query|bulk-query))/ },
  { name: "HTTP and keys", files: /src\/(http|auth|runtime\/serve|queue\/admission)/ },
  { name: "seal", files: /src\/store\/(cipher|libsql\/database\/seals)/ },
  { name: "insert", files: /src\/store\/libsql\/insert/ },
  {
    name: "claim",
    files: /src\/(store\/libsql\/(claims|home)|scheduler\/(dispatcher|lanes|share-tree|peers))/,
  },
  { name: "settle", files: /src\/(store\/libsql\/(settlements|kept)|scheduler\/(finish|result|outcome))/ },
  { name: "store", files: /src\/store/ },
  { name: "checks of a request", files: /src\/(jobs|model|registry|inventory|queue|checks)/ },
  { name: "attempt", files: /src\/scheduler/ },
  { name: "thread hop", files: /src\/(pool|protocol|runtime)/ },
  { name: "SSH", files: /src\/ssh/ },
  { name: "terminal", files: /src\/cli/ },
  { name: "task", files: /src\/executor/ },
  { name: "driver", files: /plugins\/(drivers|platforms)/ },
  { name: "templates", files: /plugins\/templates/ },
  { name: "events, schedules, metrics", files: /src\/(events|schedules|metrics|tracing)/ },
  { name: "simulated device", files: /src\/simulator/ },
  { name: "the profiler", files: /scripts\/profile/ },
  { name: "bench itself", files: /scripts\// },
  { name: "what all rooms use", files: /src\/base/ },
  { name: "other code", files: /\/(src|plugins|migrations)\// },
];

export function partOf(url: string): string | undefined {
  return parts.find(({ files }) => files.test(url))?.name;
}
