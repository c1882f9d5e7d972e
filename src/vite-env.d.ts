/// <reference types="vite/client" />

/** Version of the app, from package.json. */
declare const __APP_VERSION__: string;

interface Performance {
  /** Of pages that are cross-origin isolated, in Chromium. */
  measureUserAgentSpecificMemory?(): Promise<{ readonly bytes: number }>;
}
