package components

// signingRequest is a certificate signing request for strata-gate.invalid, in base64 of PEM. It is
// only used in dry runs, where cert-manager's webhook checks that it is well formed. Its private
// key was thrown away.
const signingRequest = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIWk1JR0FBZ0VBTUI0eEhEQWFCZ05WQkFNTUUzTjBjbUYwWVMxbllYUmxMbW" +
	"x1ZG1Gc2FXUXdXVEFUQmdjcQpoa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVJLeS9HNmZOWTlYU1BQYUlOd0NERzYzZ3Z6OTFISTF0S3dKR2U0" +
	"CldoNXNWQUxXaWxQeU5LZDM3V2crekUyV0V2aGFjWVNDcm5nRjlXTXBGSmVBYkZzem9BQXdDZ1lJS29aSXpqMEUKQXdJRFNBQXdSUUlnZkdZYn" +
	"ZiZ0dnSXNWMEZSVXV5MnY1VnJMRW1lV1F2WHJ3VWxydGxkN3dyMENJUURTdEJiRwprWWpWeEZJTzA0RGZ4ZDlGTC81QW5xVm9Mckhqd05JZDJu" +
	"dFZsdz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="
