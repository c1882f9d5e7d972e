/**
 * @file What the pure folders know of the platform's AbortSignal: they compile without the DOM library, which has the
 * rest of it. It is the one type by which anything here is cancelled.
 */

interface AbortSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
