/** The two ends of a login: the connection to the client, and the terminal behind it. */

export interface Line {
  write(text: string): void;
  close(): void;
}

/** What a listener returns for each login. */
export interface Attachment {
  type(text: string): void;
  closed(): void;
}
