/** @file What the Hub answered, as a sentence that says what to do. */

/** What was asked for. */
export interface Asked {
  readonly repo: string;
  readonly revision: string;
  readonly token: string | undefined;
  /** Absent where the repository itself was asked for. */
  readonly file?: string;
}

/** The error for a status that is no success. */
export function statusError({ repo, revision, token, file }: Asked, status: number): Error {
  const what = `hub: ${repo}${file ? `/${file}` : ""}`;
  const page = `huggingface.co/${repo}`;
  if (status === 401 || status === 403)
    return new Error(
      token
        ? `${what}: the token given does not open it (${status}). Accept the model's terms on ${page} with the token's account, or check that the token may read gated repositories.`
        : `${what}: there is no such public model (${status}). Check the spelling; if it is gated or private, accept its terms on ${page} and enter a token that may read it.`,
    );
  if (status === 404)
    return new Error(
      `${what}: not found at revision "${revision}" (404). Check the name, as in "Qwen/Qwen3-0.6B", and the revision.`,
    );
  if (status === 429)
    return new Error(
      `${what}: the Hub asks to slow down (429). What was downloaded is kept: go on in a few minutes.`,
    );
  return new Error(`${what}: the Hub answered ${status}. What was downloaded is kept: try again later.`);
}

/** The error when no answer came at all. */
export function offlineError({ repo, file }: Asked, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `hub: ${repo}${file ? `/${file}` : ""}: no connection to huggingface.co (${why}). What was downloaded is kept: go on when you are online, or use the bundled model.`,
    { cause },
  );
}

/** The error when the browser gives no more room. */
export function noRoomError({ repo }: Asked, needed: number, room: number | null, cause?: unknown): Error {
  const free = room === null ? "" : `; this browser gives ${megabytes(room)} more`;
  return new Error(
    `hub: ${repo} does not fit: ${megabytes(needed)} are still to be downloaded${free}. Delete another cached model or free disk space, then go on.`,
    { cause },
  );
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
