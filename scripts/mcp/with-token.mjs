// Hands requests on to a server, with its token: for clients that cannot send one.
// node with-token.mjs URL TOKEN prints the address to ask instead.

import http from 'node:http'

const [url, token] = process.argv.slice(2)
const server = new URL(url)

const proxy = http.createServer((request, response) => {
    // Host and Origin of other sites must be refused by the server itself: only our own address is rewritten.
    const own = `127.0.0.1:${proxy.address().port}`
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    for (const name of ['host', 'origin']) {
        if (headers[name]) headers[name] = headers[name].replace(own, server.host).replace(own.replace('127.0.0.1', 'localhost'), server.host)
    }
    const asked = http.request(
        { host: server.hostname, port: server.port, path: request.url, method: request.method, headers },
        (answer) => {
            response.writeHead(answer.statusCode, answer.headers)
            response.flushHeaders()
            answer.pipe(response)
        },
    )
    asked.on('error', () => response.destroy())
    response.on('close', () => asked.destroy())
    request.pipe(asked)
})

proxy.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${proxy.address().port}${server.pathname}`))
