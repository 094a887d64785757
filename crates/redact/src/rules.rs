//! The table of known tokens: one row a kind, with its shape. Facts come from the vendors' documents and from published rule
//! sets (gitleaks, Kingfisher).
//!
//! A shape is written as the token is: letters that stand for themselves, and in braces an alphabet and a length.
//! `ghp_{a36}` is `ghp_` and 36 letters or digits, `{w20+}` at least 20, `{a24-28}` from 24 to 28. What follows a known beginning
//! in the right length is taken whatever it looks like; where the length is open, or the token runs on, names made of nothing but
//! words stay.
//!
//! Checksums are not looked at: a token with a typing error is still most of a secret.

use std::sync::LazyLock;

use crate::alphabet::Alphabet;
use crate::disguise::begins_fresh;
use crate::finder::{Find, Surety, Trigger};
use crate::likely;
use crate::options::around;

/// The kind, and the shape.
const TOKENS: &[(&str, &str)] = &[
    // Clouds.
    ("aws-key", "AKIA{b16}"),
    ("aws-key", "ASIA{b16}"),
    ("aws-key", "ABIA{b16}"),
    ("aws-key", "ACCA{b16}"),
    ("aws-key", "A3T{u17}"),
    ("aws-bedrock-key", "ABSK{B109+}"),
    ("aws-bedrock-key", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{B20+}"),
    ("aws-mws-key", "amzn.mws.{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("google-key", "AIza{w35}"),
    ("google-key", "AQ.Ab8{w40+}"),
    ("google-key", "GOOG1E{u50+}"),
    ("amazon-secret", "amzn1.oa2-cs.v1.{h64}"),
    ("google-token", "ya29.{t30+}"),
    ("google-secret", "GOCSPX-{w28}"),
    ("google-token", "1//0{w40+}"),
    ("google-token", "4/0A{w60+}"),
    ("firebase-key", "AAAA{w7}:{w140}"),
    ("azure-secret", "{z3}{d1}Q~{Z31-34}"),
    ("azure-key", "{p76}AZDO{p4}"),
    ("azure-key", "{p76}+ABa{p6}=="),
    ("azure-key", "{p76}+ASt{p6}=="),
    ("azure-key", "{p42}+ACR{p6}"),
    ("azure-key", "{a52}JQQJ99{a26}"),
    ("azure-key", "{a42}AzSe{a6}"),
    ("azure-key", "{w44}AzFu{w6}="),
    ("azure-key", "{p33}AzCa{p6}="),
    ("azure-key", "{p76}ACDb{p6}=="),
    ("azure-key", "{p33}AIoT{p6}="),
    ("azure-key", "{p33}+ASb{p6}="),
    ("azure-key", "{p33}+AEh{p6}="),
    ("azure-key", "{p33}+ARm{p6}="),
    ("alibaba-key", "LTAI{a20}"),
    ("tencent-key", "AKID{a32}"),
    ("digitalocean-token", "dop_v1_{h64}"),
    ("digitalocean-token", "doo_v1_{h64}"),
    ("digitalocean-token", "dor_v1_{h64}"),
    ("cloudflare-key", "v1.0-{h24}-{h146}"),
    ("cloudflare-token", "cfut_{a40+}"),
    ("cloudflare-token", "cfat_{a40+}"),
    ("cloudflare-key", "cfk_{a40+}"),
    ("scaleway-key", "SCW{u17}"),
    ("yandex-key", "AQVN{w35-38}"),
    ("yandex-key", "YCAJ{w36}"),
    ("yandex-token", "y0_{w50+}"),
    ("yandex-key", "trnsl.1.1.{d8}T{d6}Z.{h16}.{h40}"),
    ("volcengine-key", "AKLT{a40+}"),
    ("yandex-token", "t1.{w20+}.{x86+}"),
    ("heroku-key", "HRKU-{w40+}"),
    ("heroku-key", "HRKU-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("flyio-token", "fo1_{w43}"),
    ("flyio-token", "fm1a_{B100+}"),
    ("flyio-token", "fm1r_{B100+}"),
    ("flyio-token", "fm2_{B100+}"),
    ("netlify-token", "nfp_{a36+}"),
    ("netlify-token", "nfb_{a36+}"),
    ("netlify-token", "nfc_{a36+}"),
    ("netlify-token", "nfo_{a36+}"),
    ("netlify-token", "nfu_{a36+}"),
    ("render-key", "rnd_{a20+}"),
    ("vercel-token", "vcp_{a24+}"),
    ("vercel-token", "vca_{a24+}"),
    ("vercel-token", "vci_{a24+}"),
    ("vercel-token", "vck_{a24+}"),
    ("vercel-token", "vcr_{a24+}"),
    ("scalingo-token", "tk-us-{w48}"),
    ("daytona-key", "dtn_{a32+}"),
    ("depot-token", "depot_org_{a32+}"),
    ("depot-token", "depot_project_{a32+}"),
    ("convex-key", "eyJ2MiI6{B30+}"),
    ("appwrite-key", "standard_{h200+}"),
    ("openshift-token", "sha256~{w43}"),
    // Models.
    ("anthropic-key", "sk-ant-{w24+}"),
    ("openai-key", "sk-proj-{w24+}"),
    ("openai-key", "sk-svcacct-{w24+}"),
    ("openai-key", "sk-admin-{w24+}"),
    ("openai-key", "sk-{a32+}"),
    ("openrouter-key", "sk-or-v1-{h64}"),
    ("cursor-key", "crsr_{h40+}"),
    ("cursor-key", "key_{h60+}"),
    ("xai-key", "xai-{a40+}"),
    ("groq-key", "gsk_{a40+}"),
    ("perplexity-key", "pplx-{a40+}"),
    ("replicate-token", "r8_{a37}"),
    ("nvidia-key", "nvapi-{w40+}"),
    ("langsmith-key", "lsv2_pt_{w32+}"),
    ("langsmith-key", "lsv2_sk_{w32+}"),
    ("langfuse-key", "sk-lf-{w30+}"),
    ("tavily-key", "tvly-{w24+}"),
    ("firecrawl-key", "fc-{h32}"),
    ("elevenlabs-key", "sk_{h48}"),
    ("huggingface-token", "hf_{a34}"),
    ("huggingface-token", "api_org_{a34}"),
    ("fireworks-key", "fw_{a22+}"),
    ("llamacloud-key", "llx-{a40+}"),
    ("modal-token", "ak-{a22}"),
    ("modal-token", "as-{a22}"),
    ("brave-key", "BSA{w28}"),
    ("triggerdev-token", "tr_pat_{a40}"),
    ("vercel-token", "vercel_blob_rw_{w30+}"),
    ("circle-key", "LIVE_API_KEY:{h32}:{h32}"),
    ("circle-key", "TEST_API_KEY:{h32}:{h32}"),
    ("figma-token", "figu_{w40}"),
    ("cerebras-key", "csk-{a40+}"),
    ("pinecone-key", "pcsk_{w40+}"),
    ("wandb-key", "wandb_v1_{w40+}"),
    ("together-key", "tgp_v1_{w43}"),
    ("jina-key", "jina_{w60+}"),
    ("voyage-key", "pa-{w43}"),
    ("helicone", "sk-helicone-{w24+}"),
    ("e2b-key", "e2b_{h40}"),
    ("runpod-key", "rpa_{a40+}"),
    ("openai-key", "sess-{a40}"),
    ("mem0-key", "m0-{a32+}"),
    ("dify-key", "app-{a24}"),
    ("dify-key", "dataset-{a24}"),
    ("twelvelabs-key", "tlk_{a20+}"),
    ("context7-key", "ctx7sk-{w30+}"),
    ("letta-key", "sk-let-{B24+}"),
    ("warp-key", "wk-1.{a40+}"),
    ("anyscale-key", "esecret_{a20+}"),
    ("cartesia-key", "sk_car_{a20+}"),
    ("browseruse-key", "bu_{w40+}"),
    ("you-key", "ydc-sk-{w20+}"),
    ("chroma-key", "ck-{a40+}"),
    ("turbopuffer-key", "tpuf_{a24+}"),
    ("windsurf-key", "sk-ws-{w40+}"),
    ("portkey-key", "pk-live-{a30+}"),
    ("composio-key", "ak_{w20+}"),
    ("braintrust-key", "bt-st-{a40+}"),
    ("statsig-key", "secret-{a40+}"),
    ("n8n-key", "n8n_api_{w30+}"),
    // Code and packages.
    ("github-token", "ghp_{a36}"),
    ("github-token", "gho_{a36}"),
    ("github-token", "ghu_{a36}"),
    ("github-token", "ghs_{a36}"),
    ("github-token", "ghr_{a36}"),
    ("github-token", "github_pat_{w36+}"),
    ("gitlab-token", "glpat-{w20}"),
    ("gitlab-token", "glpat-{t20+}"),
    ("gitlab-token", "gldt-{w20}"),
    ("gitlab-token", "glrt-{w20}"),
    ("gitlab-token", "glrt-{t20+}"),
    ("gitlab-token", "glrtr-{w20}"),
    ("gitlab-token", "glrtr-{t20+}"),
    ("gitlab-token", "glwt-{w20}"),
    ("gitlab-token", "glptt-{h40}"),
    ("gitlab-token", "glcbt-{w22+}"),
    ("gitlab-token", "glsoat-{w20}"),
    ("gitlab-token", "glffct-{w20}"),
    ("gitlab-token", "glft-{w20}"),
    ("gitlab-token", "glimt-{w25}"),
    ("gitlab-token", "glagent-{w50}"),
    ("gitlab-token", "gloas-{w64}"),
    ("gitlab-token", "GR1348941{w20}"),
    ("bitbucket-token", "ATBB{a32}"),
    ("bitbucket-token", "ATCTT3{x60+}"),
    ("atlassian-token", "ATATT3{x60+}"),
    ("sourcegraph-token", "sgp_{H16}_{H40}"),
    ("sourcegraph-token", "sgp_local_{H40}"),
    ("sourcegraph-token", "sgp_{H40}"),
    ("sourcegraph-token", "slk_{h64}"),
    ("segment-token", "sgp_{a64}"),
    ("dbt-token", "dbtc_{w20+}"),
    ("dbt-token", "dbtu_{w20+}"),
    ("honeybadger-token", "hbp_{a30+}"),
    ("retool-token", "retool_{a24+}"),
    ("unkey-key", "unkey_{a20+}"),
    ("webflow-token", "ws-{h64}"),
    ("cloudsmith-key", "ctio_{a40+}"),
    ("rootly-key", "rootly_{h64}"),
    ("gitbook-token", "gb_api_{a30+}"),
    ("mintlify-key", "mint_{a20+}"),
    ("onfido-token", "api_live.{t40+}"),
    ("gitlab-session", "_gitlab_session={h32}"),
    ("deno-token", "ddp_{a36}"),
    ("deno-token", "ddo_{a36}"),
    ("npm-token", "npm_{a36}"),
    ("pypi-token", "pypi-AgE{w50+}"),
    ("rubygems-key", "rubygems_{h48}"),
    ("cargo-token", "cio{a32}"),
    ("nuget-key", "oy2{l43}"),
    ("clojars-token", "CLOJARS_{l60}"),
    ("packagist-token", "packagist_ack_{h60+}"),
    ("packagist-token", "packagist_uut_{h60+}"),
    ("jsr-token", "jsrd_{a28+}"),
    ("jsr-token", "jsrp_{a28+}"),
    ("docker-token", "dckr_pat_{w27}"),
    ("docker-token", "dckr_oat_{w20+}"),
    ("artifactory-key", "AKCp{a69}"),
    ("artifactory-token", "cmVmd{a59}"),
    ("sonar-token", "squ_{h40}"),
    ("sonar-token", "sqp_{h40}"),
    ("sonar-token", "sqa_{h40}"),
    ("sonar-token", "sqb_{h40}"),
    ("circleci-token", "CCIPAT_{w22+}"),
    ("circleci-token", "CCIPRJ_{w22+}"),
    ("buildkite-token", "bkua_{h40}"),
    ("buildkite-token", "bkct_{w30+}"),
    ("octopus-key", "API-{u26}"),
    ("harness-key", "pat.{w22}.{a24}.{a20}"),
    ("harness-key", "sat.{w22}.{a24}.{a20}"),
    ("infracost-token", "ico-{a32}"),
    ("pulumi-token", "pul-{h40}"),
    ("terraform-token", "{a14}.atlasv1.{x60-70}"),
    ("vault-token", "hvs.{w24}"),
    ("vault-token", "hvs.{w24+}"),
    ("vault-token", "hvb.{w24+}"),
    ("vault-token", "hvr.{w24}"),
    ("vault-token", "hvr.{w24+}"),
    ("doppler-token", "dp.pt.{a40+}"),
    ("doppler-token", "dp.st.{t40+}"),
    ("doppler-token", "dp.sa.{a40+}"),
    ("doppler-token", "dp.ct.{a40+}"),
    ("doppler-token", "dp.scim.{a40+}"),
    ("doppler-token", "dp.audit.{a40+}"),
    ("onepassword-token", "ops_eyJ{B200+}"),
    ("onepassword-key", "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}"),
    ("onepassword-key", "A3-{u6}-{u11}-{u5}-{u5}-{u5}"),
    ("infisical-token", "st.{h24}.{h32}.{h32}"),
    ("prefect-token", "pnu_{a36}"),
    ("snyk-token", "snyk_uat.{t40+}"),
    ("socket-token", "sktsec_{w20+}"),
    ("trigger-key", "tr_dev_{a20+}"),
    ("trigger-key", "tr_stg_{a20+}"),
    ("trigger-key", "tr_prod_{a20+}"),
    ("inngest-key", "signkey-prod-{h32+}"),
    ("inngest-key", "signkey-test-{h32+}"),
    ("kong-token", "kpat_{a40+}"),
    ("zuplo-key", "zpka_{w32+}"),
    ("docker-swarm-token", "SWMTKN-1-{l50}-{l25}"),
    ("docker-swarm-key", "SWMKEY-1-{p43}"),
    ("netbird-token", "nbp_{a36}"),
    ("tailscale-key", "tskey-{a3+}-{w20+}"),
    ("defined-networking-token", "dnkey-{x26}-{x52}"),
    ("settlemint-token", "sm_aat_{a16}"),
    ("settlemint-token", "sm_pat_{a16}"),
    ("settlemint-token", "sm_sat_{a16}"),
    // Talking and mail.
    ("slack-token", "xoxb-{w24+}"),
    ("slack-token", "xoxp-{w24+}"),
    ("slack-token", "xoxa-{w24+}"),
    ("slack-token", "xoxr-{w24+}"),
    ("slack-token", "xoxs-{w24+}"),
    ("slack-token", "xoxo-{w24+}"),
    ("slack-token", "xoxc-{w24+}"),
    ("slack-token", "xoxd-{B24+}"),
    ("slack-token", "xoxe-{w24+}"),
    ("slack-token", "xoxe.{t24+}"),
    ("slack-token", "xapp-{w24+}"),
    ("telegram-token", "{d8-10}:AA{w33}"),
    ("twitter-token", "AAAAAAAAAAAAAAAAAAAAA{B60-110}"),
    ("twitch-token", "oauth:{l30}"),
    ("discord-token", "mfa.{w80+}"),
    ("matrix-token", "syt_{p4+}_{a20}_{a6}"),
    ("salesforce-token", "00D{a12-15}!{t60+}"),
    ("linkedin-secret", "WPL_AP1.{t16+}"),
    ("trello-token", "ATTA{H60+}"),
    ("twilio-key", "SK{H32}"),
    ("sendgrid-key", "SG.{w15-30}.{w30-70}"),
    ("sendinblue-key", "xkeysib-{h64}-{a16}"),
    ("sendinblue-key", "xsmtpsib-{h64}-{a16}"),
    ("mailgun-key", "key-{h32}"),
    ("mailgun-key", "key-{l24+}"),
    ("mailchimp-key", "{h32}-us{d1-2}"),
    ("mandrill-key", "md-{a22}"),
    ("resend-key", "re_{a8}_{a24}"),
    ("customerio-key", "cio_{h32}"),
    ("intercom-token", "dG9rO{B50+}"),
    ("mailersend-token", "mlsn.{h64}"),
    ("klaviyo-key", "pk_{h34}"),
    ("svix-key", "testsk_{t20+}"),
    ("courier-key", "pk_prod_{u28}"),
    ("onesignal-key", "os_v2_app_{l100+}"),
    ("onesignal-key", "os_v2_org_{l100+}"),
    ("pubnub-key", "sec-c-{B40+}"),
    // Money.
    ("stripe-key", "sk_live_{a10+}"),
    ("stripe-key", "rk_live_{a10+}"),
    ("stripe-key", "sk_test_{a10+}"),
    ("stripe-key", "rk_test_{a10+}"),
    ("stripe-key", "sk_prod_{w10+}"),
    ("stripe-key", "rk_prod_{a10+}"),
    ("stripe-key", "sk_org_{w20+}"),
    ("stripe-key", "whsec_{B24+}"),
    ("porkbun-key", "sk1_{h64}"),
    ("porkbun-key", "pk1_{h64}"),
    ("mercury-token", "mercury_production_{w20+}"),
    ("mercury-token", "mercury_sandbox_{w20+}"),
    ("sumup-key", "sup_sk_{a20+}"),
    ("adapty-key", "secret_live_{t30+}"),
    ("square-token", "EAAA{w60}"),
    ("square-token", "sq0atp-{w22}"),
    ("square-secret", "sq0csp-{w43}"),
    ("facebook-token", "EAA{a100+}"),
    ("instagram-token", "IGQV{w100+}"),
    ("checkout-key", "sk_{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("checkout-key", "sk_test_{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("adyen-key", "AQE{B120+}"),
    ("infura-key", "infura.io/v3/{h32}"),
    ("alchemy-key", "alchemy.com/v2/{w32}"),
    ("paypal-token", "access_token$production${l16}${h32}"),
    ("paypal-token", "access_token$sandbox${l16}${h32}"),
    ("flutterwave-key", "FLWSECK_TEST-{h32}-X"),
    ("flutterwave-key", "FLWSECK-{h32}-X"),
    ("plaid-token", "access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("plaid-token", "access-development-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("plaid-token", "access-production-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("razorpay-key", "rzp_live_{a14}"),
    ("razorpay-key", "rzp_test_{a14}"),
    ("paddle-key", "pdl_live_apikey_{l26}_{a22}_{a3}"),
    ("paddle-key", "pdl_sdbx_apikey_{l26}_{a22}_{a3}"),
    ("polar-token", "polar_oat_{a40+}"),
    ("alchemy-key", "alcht_{a30}"),
    ("duffel-token", "duffel_test_{x43}"),
    ("duffel-token", "duffel_live_{x43}"),
    ("easypost-key", "EZAK{a54}"),
    ("easypost-key", "EZTK{a54}"),
    ("shippo-token", "shippo_live_{h40}"),
    ("shippo-token", "shippo_test_{h40}"),
    ("lob-key", "live_{h35}"),
    ("lob-key", "test_{h35}"),
    ("shopify-token", "shpat_{H32}"),
    ("shopify-token", "shpss_{H32}"),
    ("shopify-token", "shpca_{H32}"),
    ("shopify-token", "shppa_{H32}"),
    // Data and watching.
    ("databricks-token", "dapi{h32}"),
    ("supabase-key", "sbp_{h40}"),
    ("supabase-key", "sb_secret_{w24+}"),
    ("planetscale-token", "pscale_tkn_{t32+}"),
    ("planetscale-token", "pscale_oauth_{t32+}"),
    ("planetscale-token", "pscale_pw_{t32+}"),
    ("neon-key", "napi_{l60+}"),
    ("neon-password", "npg_{a12}"),
    ("aiven-token", "AVNS_{w16+}"),
    ("confluent-secret", "cflt{p60}"),
    ("adafruit-key", "aio_{a28}"),
    ("rapidapi-key", "{h10}msh{h15}p1{h6}jsn{h12}"),
    ("browserbase-key", "bb_live_{w27+}"),
    ("scrapfly-key", "scp-live-{h32}"),
    ("ory-token", "ory_pat_{a32}"),
    ("asana-token", "2/{d16}/{d16}:{h32}"),
    ("xata-key", "xau_{a32+}"),
    ("mongodb-secret", "mdb_sa_sk_{w40}"),
    ("elastic-key", "essu_{B60+}"),
    ("clickhouse-key", "4b1d{a38}"),
    ("airtable-token", "pat{a14}.{h64}"),
    ("notion-token", "ntn_{a46}"),
    ("notion-token", "secret_{a43}"),
    ("linear-key", "lin_api_{a40}"),
    ("linear-key", "lin_oauth_{a40+}"),
    ("linear-key", "lin_wh_{a24+}"),
    ("clickup-token", "pk_{d5-9}_{u32}"),
    ("cal-key", "cal_live_{h32}"),
    ("apify-token", "apify_api_{a30+}"),
    ("figma-token", "figd_{w36+}"),
    ("postman-key", "PMAK-{h24}-{h34}"),
    ("grafana-token", "glsa_{a32}_{H8}"),
    ("grafana-token", "glc_{B32+}"),
    ("grafana-key", "eyJrIjoi{B60+}"),
    ("sentry-token", "sntrys_{B40+}"),
    ("sentry-token", "sntryu_{h64}"),
    ("newrelic-key", "NRAK-{u27}"),
    ("newrelic-key", "NRII-{w32}"),
    ("newrelic-key", "NRIQ-{w32}"),
    ("newrelic-key", "NRJS-{h19}"),
    ("newrelic-key", "NRRA-{h42}"),
    ("newrelic-key", "{h36}NRAL"),
    ("newrelic-key", "{h32}FFFFNRAL"),
    ("newrelic-key", "{h36}FFFFNRAL"),
    ("dynatrace-token", "dt0c01.{u24}.{u64}"),
    ("dynatrace-token", "dt0s01.{u8}.{u64}"),
    ("dynatrace-token", "dt0s02.{u8}.{u64}"),
    ("dynatrace-token", "dt0s16.{u8}.{u64}"),
    ("launchdarkly-key", "sdk-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("launchdarkly-key", "api-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("honeycomb-key", "hcaik_{a50+}"),
    ("axiom-token", "xaat-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("axiom-token", "xapt-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("posthog-key", "phx_{a40+}"),
    ("posthog-key", "phs_{a40+}"),
    ("checkly-key", "cu_{h32}"),
    ("cockroach-key", "CCDB1_{w40+}"),
    ("imagekit-key", "private_{p27}="),
    ("mapbox-token", "sk.eyJ{w40+}.{w22}"),
    ("mapbox-token", "pk.eyJ{w40+}.{w22}"),
    ("mapbox-token", "tk.eyJ{w40+}.{w22}"),
    ("maxmind-key", "{a6}_{a29}_mmk"),
    ("contentful-token", "CFPAT-{w43}"),
    ("readme-token", "rdme_{l70}"),
    ("typeform-token", "tfp_{t59}"),
    ("frameio-token", "fio-u-{x64}"),
    ("adobe-secret", "p8e-{a32}"),
    ("hubspot-token", "pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("hubspot-token", "pat-eu1-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("dropbox-token", "sl.{w130+}"),
    ("dropbox-token", "sl.u.{w130+}"),
    ("authress-key", "scauth_{l5-30}.{l4-6}.acc_{w10-32}.{B30-120}"),
    ("stytch-secret", "secret-live-{x36+}"),
    ("stytch-secret", "secret-test-{x36+}"),
    ("intra42-secret", "s-s4t2ud-{h64}"),
    ("intra42-secret", "s-s4t2af-{h64}"),
    ("age-key", "AGE-SECRET-KEY-1{u58}"),
    ("nostr-key", "nsec1{l58}"),
    ("bitcoin-key", "xprv{a107}"),
    // Hashes of passwords, as `htpasswd` and `shadow` keep them.
    ("password-hash", "$apr1${c1-8}${c22}"),
    ("password-hash", "$1${c1-8}${c22}"),
    ("password-hash", "$2a${d2}${c53}"),
    ("password-hash", "$2b${d2}${c53}"),
    ("password-hash", "$2y${d2}${c53}"),
    ("password-hash", "$5${c1-16}${c43}"),
    ("password-hash", "$6${c1-16}${c86}"),
    ("password-hash", "$5$rounds={d4-9}${c1-16}${c43}"),
    ("password-hash", "$6$rounds={d4-9}${c1-16}${c86}"),
    ("password-hash", "$y${c2+}${c1+}${c43}"),
    ("password-hash", "pbkdf2_sha256${d4-8}${a8+}${p43}="),
    ("password-hash", "SCRAM-SHA-256${d4-6}:{p22}==${p43}=:{p43}="),
    ("password-hash", "$argon2id$v={d2}$m={d3-8},t={d1-3},p={d1-3}${p11+}${p22+}"),
    ("password-hash", "$argon2i$v={d2}$m={d3-8},t={d1-3},p={d1-3}${p11+}${p22+}"),
    ("password-hash", "$argon2d$v={d2}$m={d3-8},t={d1-3},p={d1-3}${p11+}${p22+}"),
    ("password-hash", "$scrypt$ln={d1-2},r={d1-2},p={d1-2}${p11+}${p22+}"),
    ("password-hash", "scrypt:{d4-8}:{d1-2}:{d1-2}${a8+}${h128}"),
    ("password-hash", "pbkdf2:sha256:{d4-8}${a8+}${h64}"),
    ("password-hash", "{SHA}{p27}="),
    ("password-hash", "{SSHA}{B32+}"),
];

/// Tokens without a beginning of their own: the name that they are assigned to sounds secret, and holds the word.
const NAMED_TOKENS: &[(&str, &str, &str)] = &[
    ("heroku", "heroku-key", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("hubspot", "hubspot-key", "{H8}-{H4}-{H4}-{H4}-{H12}"),
    ("snyk", "snyk-token", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("sendbird", "sendbird-key", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("sendbird", "sendbird-key", "{h40}"),
    ("kucoin", "kucoin-key", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("kucoin", "kucoin-key", "{h24}"),
    ("squarespace", "squarespace-token", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("messagebird", "messagebird-key", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("messagebird", "messagebird-token", "{l25}"),
    ("railway", "railway-token", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("authtoken", "npm-token", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("postmark", "postmark-token", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("pingdom", "pingdom-token", "{w64}"),
    ("adafruit", "adafruit-key", "{w32}"),
    ("airtable", "airtable-key", "{a17}"),
    ("algolia", "algolia-key", "{l32}"),
    ("alibaba", "alibaba-secret", "{a30}"),
    ("mailgun", "mailgun-key", "{h32}-{h8}-{h8}"),
    ("asana", "asana-token", "{d1}/{d16}:{h32}"),
    ("asana", "asana-secret", "{l32}"),
    ("atlassian", "atlassian-token", "{a24}"),
    ("confluence", "atlassian-token", "{a24}"),
    ("jira", "atlassian-token", "{a24}"),
    ("azure", "azure-devops-token", "{l52}"),
    ("devops", "azure-devops-token", "{l52}"),
    ("beamer", "beamer-token", "b_{x44}"),
    ("bitbucket", "bitbucket-secret", "{x64}"),
    ("bitbucket", "bitbucket-key", "{a32}"),
    ("bitbucket", "bitbucket-password", "{a20}"),
    ("bittrex", "bittrex-key", "{a32}"),
    ("meraki", "meraki-key", "{h40}"),
    ("cloudflare", "cloudflare-key", "{w40}"),
    ("cloudflare", "cloudflare-key", "{h37}"),
    ("codecov", "codecov-token", "{a32}"),
    ("cohere", "cohere-key", "{a40}"),
    ("coinbase", "coinbase-token", "{w64}"),
    ("confluent", "confluent-key", "{a16}"),
    ("confluent", "confluent-secret", "{p64}"),
    ("contentful", "contentful-token", "{w43}"),
    ("datadog", "datadog-key", "{h40}"),
    ("datadog", "datadog-key", "{h32}"),
    ("deepgram", "deepgram-key", "{h40}"),
    ("discord", "discord-key", "{h64}"),
    ("discord", "discord-secret", "{x32}"),
    ("droneci", "droneci-token", "{a32}"),
    ("dropbox", "dropbox-secret", "{l15}"),
    ("etsy", "etsy-token", "{l24}"),
    ("facebook", "facebook-secret", "{h32}"),
    ("fastly", "fastly-token", "{x32}"),
    ("finicity", "finicity-token", "{h32}"),
    ("finicity", "finicity-secret", "{a20}"),
    ("finnhub", "finnhub-token", "{l20}"),
    ("flickr", "flickr-key", "{h32}"),
    ("freshbooks", "freshbooks-token", "{l64}"),
    ("gocardless", "gocardless-token", "live_{x40}"),
    ("gitter", "gitter-token", "{w40}"),
    ("intercom", "intercom-key", "{x60}"),
    ("jfrog", "artifactory-key", "{a73}"),
    ("jfrog", "artifactory-token", "{a64}"),
    ("kraken", "kraken-key", "{B80-90}"),
    ("launchdarkly", "launchdarkly-token", "{x40}"),
    ("linear", "linear-secret", "{h32}"),
    ("linkedin", "linkedin-secret", "{a16}"),
    ("looker", "looker-secret", "{a24}"),
    ("mattermost", "mattermost-token", "{l26}"),
    ("mistral", "mistral-key", "{a32}"),
    ("netlify", "netlify-token", "{x40-46}"),
    ("newrelic", "newrelic-key", "{l64}"),
    ("nytimes", "nytimes-key", "{x32}"),
    ("okta", "okta-token", "00{x40}"),
    ("openweather", "openweather-key", "{h32}"),
    ("paypal", "paypal-secret", "{w40+}"),
    ("plaid", "plaid-secret", "{l30}"),
    ("plaid", "plaid-key", "{l24}"),
    ("privateai", "privateai-key", "{l32}"),
    ("rapidapi", "rapidapi-key", "{w50}"),
    ("sentry", "sentry-token", "{h64}"),
    ("sonar", "sonar-token", "{x40}"),
    ("spotify", "spotify-secret", "{h32}"),
    ("sumo", "sumologic-token", "{a64}"),
    ("travis", "travis-token", "{a22}"),
    ("trello", "trello-key", "{h32}"),
    ("trello", "trello-token", "{h64}"),
    ("twilio", "twilio-token", "{h32}"),
    ("twitch", "twitch-token", "{l30}"),
    ("twitter", "twitter-key", "{a25}"),
    ("twitter", "twitter-secret", "{a45-50}"),
    ("twitter", "twitter-token", "{d15-25}-{a20-40}"),
    ("vercel", "vercel-token", "{a24}"),
    ("weatherapi", "weatherapi-key", "{h31}"),
    ("yandex", "yandex-key", "YC{w38}"),
    ("zendesk", "zendesk-key", "{a40}"),
    ("npmtoken", "npm-token", "{h8}-{h4}-{h4}-{h4}-{h12}"),
];

/// A beginning this long is nothing but that of a token.
const DISTINCTIVE: usize = 8;

/// No token is longer than this.
const LONGEST_TOKEN: usize = 4096;

/// A part of a shape.
#[derive(Debug, Clone)]
enum Piece {
    /// Stands for itself.
    Fixed(String),
    Run {
        alphabet: Alphabet,
        least: usize,
        /// `None` where the length is open.
        most: Option<usize>,
    },
}

/// A row of the table.
#[derive(Debug, Clone)]
pub struct Rule {
    kind: &'static str,
    /// The word that the name must hold; empty for tokens that are known by themselves.
    name: &'static str,
    shape: &'static str,
    pieces: Vec<Piece>,
    /// The number of the longest fixed piece: by it the token is found.
    anchor: usize,
    /// Whether base64 may hold such a token by chance.
    is_plain: bool,
}

static RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| TOKENS.iter().map(|(kind, shape)| Rule::new(kind, "", shape)).collect());

static NAMED_RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| NAMED_TOKENS.iter().map(|(name, kind, shape)| Rule::new(kind, name, shape)).collect());

/// Every row of the table.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(NAMED_RULES.iter())
}

/// The words by which tokens are found.
pub(crate) fn words() -> impl Iterator<Item = (String, Trigger)> {
    RULES.iter().enumerate().filter_map(|(number, rule)| match rule.pieces.get(rule.anchor)? {
        Piece::Fixed(word) => Some((word.clone(), Trigger::Token(number))),
        Piece::Run { .. } => None,
    })
}

/// The token whose fixed part stands at `at`.
pub(crate) fn token_at(number: usize, text: &str, at: usize) -> Option<Find> {
    RULES.get(number)?.at(text, at)
}

/// The kind of the token that is assigned to `name`, if its shape is known.
pub(crate) fn named_token(name: &str, value: &str) -> Option<&'static str> {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    let rule = NAMED_RULES.iter().find(|rule| plain.contains(rule.name) && rule.is_whole(value))?;
    let is_name = likely::is_words(value) && !value.bytes().any(|byte| byte.is_ascii_digit());
    (!likely::is_example(value) && !is_name).then_some(rule.kind)
}

impl Rule {
    fn new(kind: &'static str, name: &'static str, shape: &'static str) -> Self {
        let pieces = parsed(shape);
        let length = |piece: &Piece| if let Piece::Fixed(text) = piece { text.len() } else { 0 };
        let longest = pieces.iter().map(length).max().unwrap_or_default();
        let anchor = pieces.iter().position(|piece| length(piece) == longest).unwrap_or_default();
        let is_of_base64 = |piece: &Piece| match piece {
            Piece::Fixed(text) => text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            Piece::Run { .. } => true,
        };
        let is_plain = pieces.iter().all(is_of_base64);
        Self { kind, name, shape, pieces, anchor, is_plain }
    }

    /// What the placeholder is called.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The word that must stand in the name before it, if any.
    pub fn name(&self) -> Option<&'static str> {
        (!self.name.is_empty()).then_some(self.name)
    }

    /// How the token is written.
    pub fn shape(&self) -> &'static str {
        self.shape
    }

    /// A token of this shape, made by chance: `chance` gives a number below the given one.
    pub fn sample(&self, chance: &mut dyn FnMut(usize) -> usize) -> String {
        let mut token = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Fixed(text) => token.push_str(text),
                Piece::Run { alphabet, least, most } => {
                    let length = least + chance(most.map_or(24, |most| most - least + 1));
                    let letters: Vec<char> =
                        (b'!'..=b'~').filter(|byte| alphabet.has(*byte)).map(char::from).collect();
                    // A sentence and padding end otherwise.
                    let inner: Vec<char> =
                        letters.iter().copied().filter(char::is_ascii_alphanumeric).collect();
                    for at in 0..length {
                        let is_edge = at + 1 == length || at == 0;
                        let from = if is_edge { &inner } else { &letters };
                        let letter = from[chance(from.len())];
                        token.push(if letter == '=' { 'A' } else { letter });
                    }
                }
            }
        }
        token
    }

    /// The token whose anchor stands at `at`.
    fn at(&self, text: &str, at: usize) -> Option<Find> {
        // A token may be a part of a name, such as that of a tool: `mcp_ghp_…`.
        let is_glued = self.first_length() >= 4 && text[..at].ends_with('_');
        if self.anchor == 0 && !is_glued && !begins_fresh(text, at) {
            return None;
        }
        let mut start = at;
        for piece in self.pieces[..self.anchor].iter().rev() {
            start -= match piece {
                Piece::Fixed(fixed) => text[..start].ends_with(fixed.as_str()).then_some(fixed.len())?,
                Piece::Run { alphabet, least, most } => {
                    let letters = text[..start].bytes().rev().take(most.unwrap_or(LONGEST_TOKEN));
                    let run = letters.take_while(|byte| alphabet.has(*byte)).count();
                    (run >= *least).then_some(run)?
                }
            };
        }
        let (end, is_exact) = self.end(text, at)?;
        let token = text.get(start..end)?;
        // The first letters of a long one tell whether it is made by chance.
        let token_start = &token[around(token, 0, 0, TELLING)];
        let body = token_start.get(self.first_length()..)?;
        let is_one = (self.anchor == 0 || begins_fresh(text, start))
            && !(self.is_plain && (is_in_base64(text, start, end)))
            && (is_exact || !is_glued)
            && !likely::is_example(token_start)
            && !likely::is_example(body)
            && (is_exact || self.first_length() >= DISTINCTIVE || !likely::is_all_words(body));
        let is_open = !is_exact
            || matches!(self.pieces.last(), Some(Piece::Run { least, most, .. }) if *most != Some(*least));
        is_one.then(|| Find { is_open, ..Find::new(start..end, self.kind, token, Surety::Certain) })
    }

    fn fixed(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Fixed(text) => Some(text.as_str()),
            Piece::Run { .. } => None,
        })
    }

    /// How long what stands for itself at the beginning is.
    fn first_length(&self) -> usize {
        match self.pieces.first() {
            Some(Piece::Fixed(text)) => text.len(),
            _ => 0,
        }
    }

    /// Whether `text` is such a token and nothing else.
    fn is_whole(&self, text: &str) -> bool {
        let mut at = 0;
        for (number, piece) in self.pieces.iter().enumerate() {
            let Some(length) = self.length(number, piece, text, at) else { return false };
            at += length;
        }
        at == text.len()
    }

    /// Where the token ends whose anchor stands at `at`, and whether its length is that of the shape.
    fn end(&self, text: &str, at: usize) -> Option<(usize, bool)> {
        let mut end = at;
        let mut is_exact = true;
        for (number, piece) in self.pieces.iter().enumerate().skip(self.anchor) {
            end += self.length(number, piece, text, end)?;
            is_exact &= !matches!(piece, Piece::Run { most: None, .. });
        }
        let Some(Piece::Run { alphabet, .. }) = self.pieces.last() else { return Some((end, is_exact)) };
        let rest = &text[end..];
        if rest.starts_with(|c: char| c.is_ascii_alphanumeric()) && is_exact {
            // Longer than it should be: perhaps a new form of a token, if it begins as nothing else does.
            let begins = self.fixed().next().unwrap_or_default();
            let is_known =
                begins.len() >= DISTINCTIVE || begins.contains(|c: char| !c.is_ascii_alphanumeric());
            let more = alphabet.run(&rest[around(rest, 0, 0, LONGEST_TOKEN)]);
            return (is_known && more > 0 && (!self.is_plain || more <= BEFORE))
                .then_some((end + more, false));
        }
        // Padding belongs to what it pads.
        end += rest.bytes().take(2).take_while(|byte| *byte == b'=').count();
        // What ends a sentence does not.
        Some((at + text[at..end].trim_end_matches('.').len(), is_exact))
    }

    /// How long the piece at `at` is.
    fn length(&self, number: usize, piece: &Piece, text: &str, at: usize) -> Option<usize> {
        match piece {
            Piece::Fixed(fixed) => text.get(at..)?.starts_with(fixed.as_str()).then_some(fixed.len()),
            Piece::Run { alphabet, least, most } => {
                let rest = text.get(at..)?;
                let cap = most.unwrap_or(LONGEST_TOKEN);
                let mut run = rest.bytes().take(cap).take_while(|byte| alphabet.has(*byte)).count();
                // What follows may be of the same letters.
                if let Some(Piece::Fixed(next)) = self.pieces.get(number + 1)
                    && !rest[run..].starts_with(next.as_str())
                {
                    run = rest[..run].rfind(next.as_str())?;
                }
                (run >= *least).then_some(run)
            }
        }
    }
}

/// Number of letters that tell whether a token is made by chance.
const TELLING: usize = 256;

/// The letters before a token that tell base64 from a path.
const BEFORE: usize = 64;

/// Whether base64 goes on before `start` or behind `end`, and not the folders of a path.
fn is_in_base64(text: &str, start: usize, end: usize) -> bool {
    let before = &text[around(text, start, BEFORE, 0)];
    let run = before.bytes().rev().take_while(|byte| Alphabet::Base64.has(*byte)).count();
    let behind = &text[around(text, end, 0, BEFORE)];
    let rest = behind.bytes().take_while(|byte| Alphabet::Base64.has(*byte)).count();
    let is_folder = |name: &str| {
        !name.bytes().any(|byte| byte.is_ascii_uppercase())
            || likely::is_spoken(name)
            || likely::is_words(name)
    };
    let is_base64 = |run: &str| run.contains('+') || !run.split('/').all(is_folder);
    let (before, behind) = (&before[before.len() - run..], &behind[..rest]);
    (before.ends_with(['+', '/']) && is_base64(before))
        || (behind.starts_with(['+', '/']) && is_base64(behind))
}

fn parsed(shape: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut fixed = String::new();
    let mut rest = shape;
    while let Some(letter) = rest.chars().next() {
        let run = rest.strip_prefix('{').and_then(|inside| {
            let (inside, behind) = inside.split_once('}')?;
            Some((run_of(inside)?, behind))
        });
        if let Some((run, behind)) = run {
            if !fixed.is_empty() {
                pieces.push(Piece::Fixed(std::mem::take(&mut fixed)));
            }
            pieces.push(run);
            rest = behind;
        } else {
            fixed.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    if !fixed.is_empty() {
        pieces.push(Piece::Fixed(fixed));
    }
    pieces
}

/// `a36`, `a24-28`, `a20+`.
fn run_of(text: &str) -> Option<Piece> {
    let mut letters = text.chars();
    let alphabet = Alphabet::named(letters.next()?)?;
    let length = letters.as_str();
    let (least, most) = if let Some(least) = length.strip_suffix('+') {
        (least.parse().ok()?, None)
    } else if let Some((least, most)) = length.split_once('-') {
        (least.parse().ok()?, Some(most.parse().ok()?))
    } else {
        (length.parse().ok()?, Some(length.parse().ok()?))
    };
    Some(Piece::Run { alphabet, least, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_as_they_are_written() {
        for rule in rules() {
            let written = rule.pieces.iter().filter(|piece| matches!(piece, Piece::Run { .. })).count();
            let braces = rule.shape.matches('{').count() - usize::from(rule.shape.starts_with("{S"));
            assert_eq!(written, braces, "{}", rule.shape);
            let is_found = rule.fixed().next().is_some() || !rule.name.is_empty();
            assert!(is_found, "{} has nothing to be found by", rule.shape);
        }
    }
}
