/// <reference types="vite/client" />

/** Version of the app, from package.json. */
declare const __APP_VERSION__: string;
